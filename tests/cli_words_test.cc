// SPDX-License-Identifier: MIT
// The words of a command line: values that look like options, options twice, hints about names.
#include <nlohmann/json.hpp>

#include "command_line.h"

namespace netkit::test {
namespace {

class CommandWords : public CommandLine {
 protected:
  std::string hint_of(const std::string& command) const {
    const Outcome outcome = run(command);
    const auto object = nlohmann::json::parse(outcome.out, nullptr, false);
    return object.is_object() ? object.value("hint", "") : "";
  }
};

const std::string kWith = std::string(kModel) + " ";

TEST_F(CommandWords, AnOptionIsNoValue) {
  for (const std::string& command :
       {"emit " + kWith + "-o --json", "emit " + kWith + "--output --json",
        "run " + kWith + "--input --json", "run " + kWith + "--output --input 3",
        "plan " + kWith + "--html -o p.json", "plan " + kWith + "--ram --json",
        "compile " + kWith + "--dump --no-such", "emit " + kWith + "-o c --name --io",
        "plan " + kWith + "-o", "plan --arena --json " + kWith, "run " + kWith + "--input --"}) {
    expect_error(command, 2, ": needs a value");
  }
  EXPECT_FALSE(fs::exists(folder_ + "/--json") || fs::exists(folder_ + "/-o"));
  const Outcome json = run("run " + kWith + "--input --json");
  EXPECT_TRUE(nlohmann::json::parse(json.out, nullptr, false).is_object()) << json.out;
  EXPECT_EQ(hint_of("plan " + kWith + "--svg --json"),
            "a value that begins so is written --svg=--json");
  EXPECT_EQ(run("plan planner/graph.json --output=--json").code, 0);
  EXPECT_TRUE(fs::exists(folder_ + "/--json"));
}

TEST_F(CommandWords, NegativeNumbersAreValues) {
  std::string values = "-1";
  for (int i = 1; i < 784; ++i) values += ",-1";
  EXPECT_EQ(run("run " + kWith + "--input " + values).code, 0);
  EXPECT_EQ(run("run --input " + values + " " + kWith).code, 0)
      << "a list takes one word at a time";
  expect_error("run " + kWith + "--input -1", 3, "1 values given");
}

TEST_F(CommandWords, OneValueIsGivenOnce) {
  expect_error("run " + kWith + "--repeat 2 --repeat 3", 2, "--repeat: is given twice");
  expect_error("plan " + kWith + "-o a.json --output b.json", 2, "--output: is given twice");
  expect_error("plan " + kWith + "--arena 1K --arena=2K", 2, "--arena: is given twice");
  expect_error("run " + kWith + "--repeat 1e3", 2, "'1e3' is not a whole number from 1 to");
  expect_error("compile " + kWith + "--cases 0", 2, "'0' is not a whole number from 1 to");
  for (const std::string place : {"foo", "1", "0", "CALLER"}) {
    expect_error("emit " + kWith + "-o c --io " + place, 2, "unknown place '" + place + "'");
  }
  expect_error("emit " + kWith + "-o c --lib --standalone", 2, "--standalone");
  EXPECT_FALSE(fs::exists(folder_ + "/c"));
}

TEST_F(CommandWords, OnlyAWordThatIsNoOptionMayBeAFile) {
  put("--json", "x");
  put("-o", "x");
  put("-dash.tflite", "x");
  EXPECT_EQ(hint_of("version x --json"), "netkit version --help");
  EXPECT_EQ(hint_of("plan " + kWith + "-o y.json --no-such --json"), "netkit plan --help");
  EXPECT_EQ(hint_of("plan -dash.tflite --json"), "for the file of that name write ./-dash.tflite");
}

}  // namespace
}  // namespace netkit::test
