// SPDX-License-Identifier: MIT
// Runs the commands of a page and compares what they print with what the page says.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
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

// Both streams, as a terminal shows them; a make above this test has no say in it.
std::string output_of(const std::string& folder, const std::string& command) {
  const std::string shell = "unset MAKEFLAGS MFLAGS MAKELEVEL; cd '" + folder + "' && PATH='" +
                            std::string(NETKIT_BINARY_DIR) + "':\"$PATH\" && { " + command +
                            "\n} 2>&1";
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
    // Library and program need the sanitizers of one compiler. What it does not optimise calls the
    // end of {fmt}'s exception, which no archive without that library has.
    const bool cxx = command.line.starts_with("c++ ");
    if (cxx || command.line.starts_with("cc ")) {
      command.line.replace(0, cxx ? 3 : 2, cxx ? NETKIT_CXX_COMPILER : NETKIT_C_COMPILER);
      command.line += " -fsanitize=address,undefined";
      if (command.line.find("libnetkit.a") != std::string::npos) command.line += " -lfmt";
    }
#endif
    EXPECT_EQ(output_of(folder, command.line), command.expected) << command.line;
  }
}

TEST(Tutorial, EveryCommandPrintsWhatThePageSays) {
  run_page(text_of(std::string(NETKIT_SOURCE_DIR) + "/docs/tutorial-planner.md"),
           page_folder("tutorial"), 14);
}

// The last word `NAME.c`, `NAME.cc` or `NAME.cpp` of a text.
std::string last_program(const std::string& text) {
  for (size_t end = text.rfind('`'); end != std::string::npos && end > 0;) {
    const size_t begin = text.rfind('`', end - 1);
    if (begin == std::string::npos) break;
    const std::string word = text.substr(begin + 1, end - begin - 1);
    const std::string ending = word.substr(std::min(word.find('.'), word.size()));
    if (ending == ".c" || ending == ".cc" || ending == ".cpp") return word;
    end = begin;
  }
  return "unnamed";
}

// The programs of a page: each is named before its fence ("This is `first.c`").
void write_programs(const std::string& text, const std::string& folder) {
  for (const std::string fence : {"\n```c\n", "\n```cpp\n"}) {
    for (size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at + 1)) {
      const size_t code = at + fence.size();
      std::ofstream(folder + "/" + last_program(text.substr(0, at)))
          << text.substr(code, text.find("```", code) - code);
    }
  }
}

// A page of docs/ with programs and commands.
void run_program_page(const std::string& page, size_t at_least) {
  const std::string text = text_of(std::string(NETKIT_SOURCE_DIR) + "/docs/" + page);
  const std::string folder = page_folder("page_" + page);
  write_programs(text, folder);
  run_page(text, folder, at_least);
}

TEST(CLibrary, TheProgramOfThePageCompilesAndRuns) {
  run_program_page("c-library.md", 4);
}

TEST(CApiPage, TheProgramOfThePageCompilesAndRuns) {
  run_program_page("c-api.md", 4);
}

TEST(Pages, GettingStarted) {
  run_program_page("getting-started.md", 9);
}

TEST(Pages, DataTypes) {
  run_program_page("data-types.md", 2);
}

TEST(Pages, Migration) {
  run_program_page("migration.md", 2);
}

// Refusals of the build; in the source folder, where the makefile is. Nothing is installed.
TEST(Pages, BuildTargets) {
  ::setenv("NETKIT_NO_INSTALL", "1", 1);
  run_page(text_of(std::string(NETKIT_SOURCE_DIR) + "/docs/build-targets.md"), NETKIT_SOURCE_DIR,
           4);
}

TEST(CppApiPage, TheProgramOfThePageCompilesAndRuns) {
  run_program_page("cpp-api.md", 2);
}

}  // namespace
}  // namespace netkit::test
