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
  const Outcome refused = run("run " + kWith + "--input --json");
  EXPECT_TRUE(nlohmann::json::parse(refused.out, nullptr, false).is_object()) << refused.out;
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

TEST_F(CommandWords, AHintNamesWhatWasMeant) {
  put("raw.bin", std::string(784, '\0'));
  for (const auto& [command, hint] : std::initializer_list<std::pair<std::string, std::string>>{
           {"run " + kWith + "raw.bin --json", "did you mean --input raw.bin?"},
           {"run " + kWith + "--inputs raw.bin --json", "did you mean --input?"},
           {"compile " + kWith + "out.nk --json", "did you mean -o out.nk?"},
           {"emit " + kWith + "-o c out --json", "did you mean -o out?"},
           {"plan " + kWith + "--shape 1x28 --json",
            "write NAME=1x28; netkit inspect MODEL shows the names"},
           {"plan " + kWith + "--exclusive --json", "name a second model"},
           {"run " + kWith + "--input nope.npy --json", "check the name and its folder"},
           {"plan " + kWith + "-o - --json",
            "./- is the file of that name; --json prints to stdout"}}) {
    EXPECT_EQ(hint_of(command), hint) << command;
  }
  expect_error("run " + kWith + "a.bin b.bin", 2, "not expected: a.bin b.bin");
  expect_error("--arena plan " + kWith, 2, "--arena: 'plan' is not a size");
  expect_error("plan " + kWith + "--ram=", 2, "--ram: needs a value");
  expect_error("run " + kWith + "--input=", 2, "--input: needs a value");
  expect_error("run " + kWith + "--input ''", 2, "--input: the value is empty");
  expect_error("plan -", 2, "'-' names no file");
  expect_error("run " + kWith + "--input raw.bin --output =-", 2, "'-' names no file");
  EXPECT_FALSE(fs::exists(folder_ + "/-"));
}

TEST_F(CommandWords, AnErrorInANumberHasItsPlace) {
  const std::string run_with = "run " + kWith + "--input ";
  expect_error(run_with + "0,200", 3, "element 1: 200 is out of range of int8");
  expect_error(run_with + "0,200", 3, "give whole numbers from -128 to 127");
  put("head.csv", "x,y\n1,2\n");
  expect_error(run_with + "head.csv", 3, "head.csv:1, element 0: 'x' is not a number");
  expect_error(run_with + "head.csv", 3, "without a heading");
  put("low.csv", "1,2\n3,4\n5,nan\n");
  expect_error(run_with + "low.csv", 3, "low.csv:3, element 5: ");
}

TEST_F(CommandWords, SizesHaveOneRule) {
  for (const std::string size :
       {"65536", "65536B", "64K", "64k", "64KB", "64kb", "64KiB", "64kib"}) {
    const Outcome outcome = run("plan " + kWith + "--no-picture --ram " + size);
    EXPECT_NE(outcome.out.find("fits into 65536 B"), std::string::npos) << size << outcome.err;
  }
  for (const std::string size : {"64KK", "64iB", "64BB", "64KiBB", "64KBi", "K", "0", "-1", "1T"}) {
    expect_error("plan " + kWith + "--ram=" + size, 2, "is not a size");
  }
}

TEST_F(CommandWords, HelpIsThereHoweverItIsAskedFor) {
  EXPECT_EQ(run("help").out, run("--help").out);
  EXPECT_EQ(run("help plan").out, run("plan --help").out);
  const std::string help = run("plan --help").out;
  EXPECT_EQ(help.find("Excludes"), std::string::npos) << help;
  for (const std::string verb : {"plan", "emit", "run", "compile", "inspect", "test"}) {
    const std::string text = run(verb + " --help").out;
    EXPECT_NE(text.find("--json"), std::string::npos) << verb;
    EXPECT_NE(text.find("--arena SIZE"), std::string::npos) << verb;
  }
}

TEST_F(CommandWords, ATerminalGetsNoRawBytes) {
  put("bad.tflite",
      "\x1c\xff\xfe\x9b"
      "abcdefghij");
  fs::copy(folder_ + "/bad.tflite", folder_ + "/n\xff\xc2\x9b\xc3\xa4.tflite");
  const Outcome outcome = run("plan n\xff\xc2\x9b\xc3\xa4.tflite");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("n\\xff\\xc2\\x9b\xc3\xa4.tflite"), std::string::npos) << outcome.err;
  for (const char c : run("plan bad.tflite").err) EXPECT_LT(static_cast<unsigned char>(c), 0x7f);
}

TEST_F(CommandWords, PhasesThatPassSaySo) {
  EXPECT_NE(run("compile " + kWith + "--stop-after plan").out.find("up to plan pass"),
            std::string::npos);
}

}  // namespace
}  // namespace netkit::test
