// SPDX-License-Identifier: MIT
// Runs the commands of a page and compares what they print with what the page says.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "test_support.h"

namespace netkit::test {
namespace {

struct Command {
  std::string line;      // after "$ "
  std::string expected;  // what the page shows below it
};

std::vector<Command> commands_of(const std::string& page) {
  const Bytes bytes = read_bytes(page);
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<Command> out;
  bool inside = false;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with("$ ")) {
      out.push_back({line.substr(2), ""});
    } else if (inside && !out.empty()) {
      out.back().expected += line + "\n";
    }
  }
  return out;
}

// Both streams, as a terminal shows them.
std::string output_of(const std::string& folder, const std::string& command) {
  const std::string shell = "cd '" + folder + "' && PATH='" + std::string(NETKIT_BINARY_DIR) +
                            "':\"$PATH\" && { " + command + "\n} 2>&1";
  FILE* pipe = popen(shell.c_str(), "r");
  if (pipe == nullptr) return "no shell";
  std::string out;
  std::array<char, 4096> part{};
  for (size_t n = 0; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;) {
    out.append(part.data(), n);
  }
  pclose(pipe);
  return out;
}

TEST(Tutorial, EveryCommandPrintsWhatThePageSays) {
  const std::string source = NETKIT_SOURCE_DIR;
  const std::string folder = work_folder("tutorial");
  std::filesystem::create_directory_symlink(source + "/examples", folder + "/examples");
  std::filesystem::create_directory_symlink(source + "/models", folder + "/models");
  const std::vector<Command> commands = commands_of(source + "/docs/tutorial-planner.md");
  EXPECT_GE(commands.size(), 14u);
  for (const Command& command : commands) {
    EXPECT_EQ(output_of(folder, command.line), command.expected) << command.line;
  }
}

}  // namespace
}  // namespace netkit::test
