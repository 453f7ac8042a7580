// SPDX-License-Identifier: MIT
// Runs the commands of a page and compares what they print with what the page says.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "test_support.h"

namespace netkit::test {
namespace {

struct Command {
  std::string line;      // after "$ "
  std::string expected;  // what the page shows below it
};

std::string text_of(const std::string& path) {
  const Bytes bytes = read_bytes(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<Command> commands_of(const std::string& text) {
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

// A work folder with the source tree's folders that the pages name.
std::string page_folder(const std::string& name) {
  const std::string source = NETKIT_SOURCE_DIR;
  const std::string folder = work_folder(name);
  for (const char* part : {"examples", "models", "include"}) {
    std::filesystem::create_directory_symlink(source + "/" + part, folder + "/" + part);
  }
  std::filesystem::create_directory_symlink(NETKIT_BINARY_DIR, folder + "/build");
  return folder;
}

void run_page(const std::string& text, const std::string& folder, size_t at_least) {
  const std::vector<Command> commands = commands_of(text);
  EXPECT_GE(commands.size(), at_least);
  for (Command command : commands) {
#ifdef __SANITIZE_ADDRESS__
    // Library and program need the sanitizers of one compiler.
    const bool cxx = command.line.starts_with("c++ ");
    if (cxx || command.line.starts_with("cc ")) {
      command.line.replace(0, cxx ? 3 : 2, cxx ? NETKIT_CXX_COMPILER : NETKIT_C_COMPILER);
      command.line += " -fsanitize=address,undefined";
    }
#endif
    EXPECT_EQ(output_of(folder, command.line), command.expected) << command.line;
  }
}

TEST(Tutorial, EveryCommandPrintsWhatThePageSays) {
  run_page(text_of(std::string(NETKIT_SOURCE_DIR) + "/docs/tutorial-planner.md"),
           page_folder("tutorial"), 14);
}

// A page with one program: it becomes `program`, then the commands run.
void run_program_page(const std::string& page, const std::string& program, size_t at_least) {
  const std::string text = text_of(std::string(NETKIT_SOURCE_DIR) + "/docs/" + page);
  const std::string folder = page_folder("page_" + program);
  const std::string fence = program.ends_with(".c") ? "```c\n" : "```cpp\n";
  const size_t begin = text.find(fence) + fence.size();
  std::ofstream(folder + "/" + program) << text.substr(begin, text.find("```", begin) - begin);
  run_page(text, folder, at_least);
}

TEST(CLibrary, TheProgramOfThePageCompilesAndRuns) {
  run_program_page("c-library.md", "classify.c", 4);
}

TEST(CApiPage, TheProgramOfThePageCompilesAndRuns) {
  run_program_page("c-api.md", "first.c", 4);
}

TEST(CppApiPage, TheProgramOfThePageCompilesAndRuns) {
  run_program_page("cpp-api.md", "by_hand.cc", 2);
}

}  // namespace
}  // namespace netkit::test
