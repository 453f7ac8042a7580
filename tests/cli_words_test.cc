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
  for (const std::string size : {"64KK", "64iB", "64BB", "64KiBB", "64KBi", "K", "-1", "1T", "G"}) {
    expect_error("plan " + kWith + "--ram=" + size, 2, "is not a size");
  }
  for (const std::string option : {"--ram ", "--arena "}) {
    expect_error("plan " + kWith + option + "0", 2, "'0' is no memory at all");
    expect_error("plan " + kWith + option + "0K", 2, "'0K' is no memory at all");
    for (const std::string size : {"1025G", "99999999999999", "99999999999999999999"}) {
      expect_error("plan " + kWith + option + size, 2, "'" + size + "' is more than 1024G");
    }
  }
}

TEST_F(CommandWords, HelpIsThereHoweverItIsAskedFor) {
  EXPECT_EQ(run("help").out, run("--help").out);
  EXPECT_EQ(run("help plan").out, run("plan --help").out);
  EXPECT_EQ(run("help --json").out, run("--help").out);
  expect_error("help foo", 2, "netkit: unknown verb 'foo'\n  verbs: compile plan");
  expect_error("help plan foo", 2, "unknown verb 'foo'");
  expect_error("help plan run", 2, "one verb at a time");
  EXPECT_EQ(run("").err.find("netkit: no verb given\n  verbs: compile plan"), 0U);
  EXPECT_EQ(run("").code, 2);
  for (const std::string verb : {"check-plan", "version"}) {
    EXPECT_EQ(run(verb + " --help").out.find("--arena"), std::string::npos) << verb;
  }
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

TEST_F(CommandWords, TheDrawingsKeepToTheirLines) {
  put("line.json", R"({"format":"netkit-graph/1","tensors":[{"name":"a\nb","bytes":8},)"
                   R"({"name":"c","bytes":8}],"ops":[{"name":"A","inputs":["a\nb"],)"
                   R"("outputs":["c"],"scratch_bytes":24}],"inputs":["a\nb"],"outputs":["c"]})");
  const std::string shown = run("plan line.json").out;
  EXPECT_NE(shown.find("a?b (input)"), std::string::npos) << shown;
  EXPECT_NE(shown.find("       56 B |"), std::string::npos) << "not 0.1 K: " << shown;
  EXPECT_NE(shown.find("all tensors together 16 B without scratch"), std::string::npos) << shown;
}

TEST_F(CommandWords, ARefusalNamesTheOptionAndTheFile) {
  ASSERT_EQ(run("plan planner/graph.json -o p.json").code, 0);
  put("newer.json", R"({"format":"netkit-plan/2"})");
  put("map.json", R"({"format":"netkit-memory/1"})");
  put("l.csv", "id,lower,upper,size\na,0,3,4\n");
  fs::copy(folder_ + "/" + kModel, folder_ + "/while.tflite");
  const std::string header(
      "{'descr': '|i1', 'fortran_order': False, 'shape': (4294967296,4294967296), }\n");
  const std::string length(1, static_cast<char>(header.size()));
  put("big.npy", std::string("\x93NUMPY\x01\x00", 8) + length + std::string(1, '\0') + header);
  put("new.npy", std::string("\x93NUMPY\x09\x00", 8) + length + std::string(1, '\0') + header);
  struct WordFault {
    std::string command;
    int code;
    std::string words;
  };
  for (const WordFault& f :
       {WordFault{"plan newer.json", 3,
                  "format: is 'netkit-plan/2'\n  this version reads netkit-plan/1"},
        {"plan map.json", 3, "give it as --memory-map FILE"},
        {"inspect p.json", 3, "a finished plan\n  netkit plan shows it"},
        {"compile planner/graph.json -o x.nk", 3, "but JSON text\n  netkit plan takes JSON"},
        {"plan planner/graph.json --offline-tflite x", 2, "is no .tflite file\n  offline"},
        {"plan p.json --offline-tflite x", 2, "p.json: is no .tflite file"},
        {"plan l.csv --offline-tflite x", 2, "l.csv: is no .tflite file"},
        {"run l.csv", 3, "give a .tflite, .onnx or .nk file"},
        {"plan ''", 2, "model: the name is empty\n  name a file"},
        {"plan l.csv --graph g.json", 2, "has no operators\n  leave it out, or"},
        {"plan l.csv --html h.html --compare given", 2, "are given\n  name another list"},
        {"plan " + kWith + "--without foo", 2, "--without: there is no pass 'foo'"},
        {"plan " + kWith + "--without read-parts=x", 2, "--without read-parts=x: no concat"},
        {"run " + kWith + "--input big.npy", 3, "big.npy: the .npy header is wrong: shape"},
        {"run " + kWith + "--input new.npy", 3, "new.npy: .npy of version 9.0"},
        {"emit " + kWith + "-o c --name netkit", 2, "the header <netkit.h> of netkit"},
        {"emit " + kWith + "-o c --name math", 2, "the header <math.h> of the system"},
        {"compile " + kWith + "--dump import -o x.nk", 2, "--output excludes --dump"},
        {"compile " + kWith + "--stop-after import -o x.nk", 2, "excludes"},
        {"compile " + kWith + "--stop-after import --dump plan", 2, "excludes"},
        {"compile " + kWith + "--dump import --memory-map map.json", 2, "excludes"}}) {
    expect_error(f.command, f.code, f.words);
  }
  EXPECT_FALSE(fs::exists(folder_ + "/x.nk") || fs::exists(folder_ + "/c"));
  EXPECT_EQ(run("emit while.tflite -o c --language cpp").code, 0);
  EXPECT_TRUE(fs::exists(folder_ + "/c/model_while.hpp"));
  EXPECT_EQ(run("emit while.tflite -o c --name net").code, 0);
  EXPECT_EQ(run("emit while.tflite -o c --name NET").code, 0);
  EXPECT_NE(text("c/net.h").find("#ifndef NETKIT_net_H"), std::string::npos);
  EXPECT_NE(text("c/NET.h").find("#ifndef NETKIT_NET_H"), std::string::npos);
}

// There is a plan at once; what time was left decides how far its proof goes.
TEST_F(CommandWords, NoTimeIsTooShortForAPlan) {
  for (const std::string& command : {"plan " + kWith, std::string("plan planner/graph.json ")}) {
    const auto outcome = run(command + "--time-limit 0.000001");
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("search cut by --time-limit"), std::string::npos) << outcome.out;
  }
}

TEST_F(CommandWords, WhatIsNotProvenSaysHowFarItIs) {
  const std::string plan = "plan planner/graph.json --no-picture --ram 136K";
  const std::string out = run(plan).out;
  const std::string gap = "not proven minimal, gap 8192 B, 6.2 % of the bound";
  EXPECT_NE(out.find(gap + "  none\n"), std::string::npos) << out;
  EXPECT_NE(out.find("plain, " + gap + "\n"), std::string::npos) << out;
  const auto json = nlohmann::json::parse(run(plan + " --json").out, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json.value("gap", nlohmann::json()).dump(),
            R"({"plain":{"bytes":8192,"percent":6.2}})");
  EXPECT_EQ(run("plan planner/graph.json --json").out.find("\"gap\""), std::string::npos);
}

// B stands before A, which writes what it reads; 17 bytes are rounded up.
TEST_F(CommandWords, AnOrderThatCannotRunIsNoComparison) {
  const std::string head =
      R"({"format":"netkit-graph/1","tensors":[{"name":"x","bytes":17},{"name":"a","bytes":16},)"
      R"({"name":"b","bytes":16}],"ops":[{"name":"B","inputs":["a"],"outputs":["b"]},)"
      R"({"name":"A","inputs":["x"],"outputs":["a"]}],"inputs":["x"],"outputs":)";
  put("late.json", head + R"(["b"]})");
  put("twice.json", head + R"(["b","b"]})");
  EXPECT_NE(
      run("plan late.json")
          .out.find("for comparison, before alignment: the given order cannot run, all tensors"),
      std::string::npos);
  expect_error("plan late.json --order given", 2, "late.json: B: the given order runs a step");
  expect_error("plan twice.json", 3, "twice.json: graph.outputs[1]: tensor 'b' is listed twice");
  std::string wide = R"({"format":"netkit-graph/1","tensors":[{"name":"x","bytes":1}],)"
                     R"("inputs":["x"],"ops":[{"name":"0","inputs":["x"]})";
  for (int i = 1; i < 13; ++i) wide += R"(,{"inputs":["x"],"name":")" + std::to_string(i) + R"("})";
  put("wide.json", wide + "]}");
  expect_error("plan wide.json --list-orders", 2, "wide.json: orders are listed for at most 12");
  for (const std::string time : {"inf", "nan"}) {
    expect_error("plan late.json --time-limit " + time, 2, "'" + time + "' is not a time");
  }
}

TEST_F(CommandWords, AVerdictSaysOfWhichPlans) {
  const std::string plan = "plan planner/graph.json --certificate c.json";
  ASSERT_EQ(run(plan).code, 0);
  EXPECT_NE(run("check-plan c.json").out.find("is smaller\n"), std::string::npos);
  ASSERT_EQ(run(plan + " --order given").code, 0);
  EXPECT_NE(run("check-plan c.json").out.find("is smaller in this order\n"), std::string::npos);
  const auto json = nlohmann::json::parse(run("check-plan c.json --json").out, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json.value("order", "") + " " + json.value("in_out", ""), "given inside");
}

TEST_F(CommandWords, PhasesThatPassSaySo) {
  EXPECT_NE(run("compile " + kWith + "--stop-after plan").out.find("up to plan pass"),
            std::string::npos);
}

}  // namespace
}  // namespace netkit::test
