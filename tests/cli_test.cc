// SPDX-License-Identifier: MIT
// The command line as a user meets it: exit codes, one line of error, one object with --json.
#include <nlohmann/json.hpp>

#include "command_line.h"

namespace netkit::test {
namespace {

TEST_F(CommandLine, AnAnswerThatCannotBeWrittenIsCodeTwo) {
  for (const std::string verb :
       {"plan planner/graph.json", "plan planner/graph.json --json", "version", "version --json",
        "version --operators", "--version", "--help", "inspect models/digits_cnn_int8.tflite",
        "plan planner/graph.json --list-orders", "compile models/digits_cnn_int8.tflite -o full.nk",
        "emit models/digits_cnn_int8.tflite -o c --json", "no_such_verb --json"}) {
    for (const std::string to : {" >/dev/full", " >&-"}) {
      const Outcome outcome = run(verb + to);
      EXPECT_EQ(outcome.code, 2) << verb << to << "\n" << outcome.err;
      EXPECT_NE(outcome.err.find("netkit: "), std::string::npos) << verb << to;
    }
  }
}

// Files are put in place when the answer has been told; a reader that had enough was told.
TEST_F(CommandLine, WhereTheAnswerIsCutShortNoFileIsWritten) {
  put("in.bin", std::string(784, '\0'));
  const std::string model = kModel;
  for (const std::string& command :
       {"compile " + model + " -o out.nk", "emit " + model + " -o out",
        "emit " + model + " -o out --json",
        std::string("plan planner/graph.json -o out.json --html out.html --json"),
        "plan " + model + " --offline-tflite out.tflite",
        "run " + model + " --input in.bin --output out.bin --dump-layers out"}) {
    for (const std::string to : {" >/dev/full", " >&-"}) {
      const Outcome outcome = run(command + to);
      EXPECT_EQ(outcome.code, 2) << command << to;
      EXPECT_NE(outcome.err.find("no output file was written"), std::string::npos) << outcome.err;
      for (const auto& entry : fs::directory_iterator(folder_)) {
        const std::string name = entry.path().filename();
        EXPECT_FALSE(name.starts_with("out") || name.starts_with(".netkit")) << command << name;
      }
    }
  }
  run("plan " + model + " --json -o kept.json | exit 0 >out");
  EXPECT_TRUE(fs::exists(folder_ + "/kept.json"));
}

TEST_F(CommandLine, UsageErrorsAreOneObjectWithJson) {
  for (const std::string command :
       {"no_such_verb --json", "--json no_such_verb", "plan --json",
        "plan planner/graph.json "
        "--no-such-option --json",
        "--json", "run models/digits_cnn_int8.tflite --repeat 0 --json",
        "plan planner/graph.json --arena x --json", "plan planner/graph.json --ram '' --json"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 2) << command;
    const auto object = nlohmann::json::parse(outcome.out, nullptr, false);
    ASSERT_TRUE(object.is_object()) << command << "\n" << outcome.out;
    EXPECT_EQ(object.value("format", ""), "netkit-error/1") << command;
  }
  for (const std::string command : {"--version --json", "version --json --operators",
                                    "compile models/digits_cnn_int8.tflite --dump plan --json"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << command;
    EXPECT_TRUE(nlohmann::json::parse(outcome.out, nullptr, false).is_object()) << command;
  }
  fs::copy(folder_ + "/" + kModel, folder_ + "/bad\xff.tflite");
  for (const std::string command :
       {"compile bad\xff.tflite --json", "emit bad\xff.tflite -o c\xff --json"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << command << outcome.err;
    EXPECT_TRUE(nlohmann::json::parse(outcome.out, nullptr, false).is_object()) << command;
  }
  EXPECT_TRUE(fs::exists(folder_ + "/bad\xff.nk"));
}

TEST_F(CommandLine, ArenaIsACheckOrRefused) {
  const std::string model = kModel;
  expect_error("compile " + model + " -o small.nk --arena 1K", 1, "does not fit: needs ");
  expect_error("emit " + model + " -o small --arena 1K", 1, "--arena gives 1024 B");
  EXPECT_FALSE(fs::exists(folder_ + "/small.nk") || fs::exists(folder_ + "/small"));
  expect_error("--arena 1K inspect " + model, 1, "does not fit: needs ");
  expect_error("plan " + model + " --arena 1K --json", 1, "does not fit: needs ");
  for (const std::string verb : {"compile ", "emit -o c ", "plan ", "inspect ", "run ", "test "}) {
    expect_error(verb + model + " --arena 12Q", 2, "--arena: '12Q' is not a size");
  }
  expect_error("version --arena x", 2, "--arena: 'x' is not a size");
  expect_error("version --arena 1K", 2, "--arena: says nothing to version");
  expect_error("check-plan x.json --arena 1K", 2, "says nothing to check-plan");
  expect_error("plan planner/graph.json --list-orders --arena 1K", 2, "says nothing to");
  put("zeros.bin", std::string(784, '\0'));
  expect_error("run " + model + " --input zeros.bin --arena 16", 1,
               "is too small: the model needs");
  EXPECT_EQ(run("compile " + model + " -o fits.nk --arena 1M").code, 0);
  expect_error("run fits.nk --input zeros.bin --arena 16", 1, "is too small: the model needs");
}

TEST_F(CommandLine, OptionsThatSayNothingOrTooMuchAreRefused) {
  const std::string compile = std::string("compile ") + kModel + " -o x.nk ";
  for (const std::string value : {"nan", "inf", "-1", "1e39"}) {
    expect_error(compile + "--case-tolerance=" + value, 2, "--case-tolerance");
  }
  expect_error(compile + "--cases 0", 2, "--cases");
  expect_error(compile + "--cases 3", 2, "there are no test cases");
  expect_error(compile + "--shape a=1 --shape a=2", 2, "input 'a' is given twice");
  expect_error("plan planner/graph.json --ram ''", 2, "--ram: the value is empty");
  expect_error(std::string("run ") + kModel + " --output ''", 2, "--output: the value is empty");
  expect_error(std::string("run ") + kModel + " --output x=", 2, "--output: no file is named");
  EXPECT_FALSE(fs::exists(folder_ + "/x.nk"));
}

TEST_F(CommandLine, OutputsOfOneVerbAreAllOrNothing) {
  expect_error("plan planner/graph.json -o a.json --svg a.svg --html none/a.html", 2,
               "none/a.html: cannot write: no such folder");
  expect_error("plan planner/graph.json -o a.json --graph ./a.json", 2, "two outputs in one file");
  expect_error("plan planner/graph.json -o a.json --graph /dev/full", 2, "/dev/full: cannot write");
  EXPECT_FALSE(fs::exists(folder_ + "/a.json") || fs::exists(folder_ + "/a.svg"));
  put("in.bin", std::string(784, '\0'));
  expect_error(std::string("run ") + kModel + " --input in.bin --dump-layers d --output no/o.bin",
               2, "no/o.bin: cannot write: no such folder");
  EXPECT_FALSE(fs::exists(folder_ + "/d"));
  const Outcome whole = run(std::string("run ") + kModel + " --input in.bin --dump-layers d");
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(whole.out.find("nk_"), std::string::npos) << "no profile was asked for";
  EXPECT_TRUE(fs::exists(folder_ + "/d"));
}

TEST_F(CommandLine, ABufferListIsPlannedAndDrawn) {
  put("l.csv", "id,lower,upper,size\na,0,3,4\nb,3,9,4\nc,0,9,4\nd,9,21,4\ne,0,21,4\n");
  const Outcome json =
      run("plan l.csv --json --csv out.csv --certificate c.json -o p.json "
          "--html p.html --svg p.svg");
  ASSERT_EQ(json.code, 0) << json.err;
  const auto plan = nlohmann::json::parse(json.out, nullptr, false);
  EXPECT_EQ(plan.value("arena_bytes", 0), 12);
  EXPECT_TRUE(plan.value("proven_minimal", false));
  EXPECT_FALSE(plan.contains("steps"));
  EXPECT_EQ(plan["alignment"], 1);
  EXPECT_EQ(plan["buffers"][3]["name"], "d");
  EXPECT_EQ(plan["buffers"][3]["last_step"], 20);
  EXPECT_EQ(run("check-plan c.json").code, 0);
  for (const std::string again : {"out.csv", "p.json"}) {
    const Outcome text = run("plan " + again);
    EXPECT_NE(text.out.find("arena 12 B"), std::string::npos) << text.out << text.err;
    EXPECT_NE(text.out.find("fullest at step"), std::string::npos) << text.out;
  }
  EXPECT_EQ(run("plan l.csv --ram 12").code, 0);
  expect_error("plan l.csv --arena 11", 1, "does not fit");
  const Outcome small = run("plan l.csv --ram 11");
  EXPECT_EQ(small.code, 1);
  EXPECT_NE(small.out.find("proven: no plan"), std::string::npos) << small.out;
  expect_error("plan l.csv --list-orders", 2, "has lives, but no steps");
  expect_error("plan l.csv --what-if", 2, "has lives, but no steps");
  expect_error("plan l.csv --graph g.json", 2, "has no operators");
  expect_error("plan l.csv --model-explorer g.json", 2, "has no operators");
  expect_error("plan l.csv planner/graph.json --exclusive", 2, "has no steps to run");
  expect_error("plan out.csv --certificate c2.json", 2, "buffer 'a' has a fixed offset");
  put("high.csv", "id,lower,upper,size,offset\na,0,3,4,100\n");
  EXPECT_NE(run("plan high.csv").out.find("alive at once are at most 4 B"), std::string::npos);
  put("L.CSV", text("l.csv"));
  EXPECT_EQ(run("plan L.CSV").code, 0);
  put("none.csv", "id,lower,upper,size\n");
  expect_error("plan none.csv", 3, "none.csv: holds no buffers\n  write a line per buffer");
  put("bad.csv", "id,lower,upper,size\na,0,0,4\n");
  expect_error("plan bad.csv", 3, "bad.csv:2");
}

TEST_F(CommandLine, AnswersInPlaceOfAPlanGoAlone) {
  for (const std::string instead : {"--list-orders", "--what-if", "--offline-tflite t.tflite"}) {
    for (const std::string ignored : {"-o p.json", "--svg p.svg", "--html p.html", "--ram 64K",
                                      "--certificate c.json", "--csv l.csv"}) {
      expect_error("plan planner/graph.json " + instead + " " + ignored, 2, "excludes");
    }
  }
  expect_error("plan planner/graph.json --list-orders --what-if", 2, "excludes");
  ASSERT_EQ(run("plan planner/graph.json -o plan.json").code, 0);
  ASSERT_EQ(run(std::string("compile ") + kModel + " -o plan.nk").code, 0);
  fs::copy_file(folder_ + "/plan.nk", folder_ + "/plan.csv");
  for (const std::string file : {"plan.json", "plan.nk", "plan.csv"}) {
    for (const std::string instead : {"--list-orders", "--what-if", "--graph g.json",
                                      "--certificate c.json", "--model-explorer m.json"}) {
      expect_error("plan " + file + " " + instead, 2, "holds a finished plan");
    }
  }
  for (const std::string instead : {"--graph g", "--certificate c", "--model-explorer m"}) {
    expect_error("plan planner/graph.json planner/graph.json --exclusive " + instead, 2,
                 "is of one model, and several are given");
  }
  EXPECT_FALSE(fs::exists(folder_ + "/p.json") || fs::exists(folder_ + "/p.svg"));
  EXPECT_EQ(run("plan planner/graph.json --what-if").code, 0);
}

TEST_F(CommandLine, AMemoryMapLimitsWhatIsMade) {
  const std::string model = kModel;
  const auto map = [&](const std::string& sram, const std::string& more) {
    put("map.json", R"({"format":"netkit-memory/1","regions":[{"name":"DTCM","bytes":64},)"
                    R"({"name":"SRAM","bytes":)" +
                        sram + R"(,"reserved":[{"what":"stack","bytes":1024}]}])" + more + "}");
  };
  for (const std::string verb : {"compile -o map.nk ", "emit -o map "}) {
    map("1100", "");
    expect_error(verb + model + " --memory-map map.json", 1, "'SRAM' has 76 B free");
    map("65536", R"(,"flash_bytes":100)");
    expect_error(verb + model + " --memory-map map.json", 1, "B of flash, there are 100 B");
    map("65536", R"(,"rules":[{"buffers":"inputs","regions":["SRAM"]}])");
    expect_error(verb + model + " --memory-map map.json", 2, "has rules for single buffers");
    EXPECT_FALSE(fs::exists(folder_ + "/map.nk") || fs::exists(folder_ + "/map"));
    map("65536", R"(,"flash_bytes":1000000)");
    EXPECT_EQ(run(verb + model + " --memory-map map.json").code, 0);
    fs::remove_all(folder_ + "/map.nk");
    fs::remove_all(folder_ + "/map");
  }
  map("65536", R"(,"rules":[{"buffers":"inputs"},{"buffers":"none"}])");
  expect_error("plan " + model + " --memory-map map.json", 3,
               "map.json: rules[1].buffers: no buffer is called 'none'");
  put("twice.json", R"({"format":"netkit-memory/1","regions":[{"name":"R","bytes":64},)"
                    R"({"name":"R","bytes":65536}]})");
  expect_error("plan " + model + " --memory-map twice.json", 3,
               "twice.json: regions[1].name: two regions are called 'R'");
}

TEST_F(CommandLine, ThePlanOfAModelAsCsvNeedsTheSame) {
  for (const std::string from : {"models/digits_cnn_int8.tflite", "planner/graph.json",
                                 "planner/graph.json --class plain"}) {
    const Outcome model = run("plan " + from + " --csv m.csv --json");
    ASSERT_EQ(model.code, 0) << model.err;
    const Outcome list = run("plan m.csv --json");
    ASSERT_EQ(list.code, 0) << list.err << text("m.csv");
    EXPECT_EQ(nlohmann::json::parse(model.out)["arena_bytes"],
              nlohmann::json::parse(list.out)["arena_bytes"]);
  }
  expect_error("plan planner/graph.json planner/graph.json --concurrent --csv m.csv", 2,
               "no common steps");
}

TEST_F(CommandLine, SaysWhatIsTrue) {
  put("old.nk", std::string("NKIT\4\0\0\0", 8) + std::string(56, '\0'));
  expect_error("inspect old.nk", 3, "network kind 0");
  put("-dash.tflite", "x");
  expect_error("plan -dash.tflite", 2, "write ./-dash.tflite");
  for (const std::string verb :
       {"compile", "plan", "check-plan", "inspect", "run", "test", "emit", "version"}) {
    const std::string help = run(verb + " --help").out;
    const size_t examples = help.find("\nExample");
    ASSERT_NE(examples, std::string::npos) << verb;
    EXPECT_NE(help.find("netkit " + verb, examples), std::string::npos) << verb;
    EXPECT_EQ(help.find("Exit codes", examples), std::string::npos) << verb;
  }
  const std::string version = run("version").out;
  EXPECT_TRUE(version.find("GCC ") != std::string::npos ||
              version.find("clang ") != std::string::npos);
  EXPECT_EQ(run("compile models/digits_cnn_int8.tflite -o n.nk").code, 0);
  expect_error("test n.nk", 3, "no test cases inside");
  fs::create_directory(folder_ + "/empty");
  fs::remove(folder_ + "/models");
  expect_error("test", 2, "the bundled models are not here");
}

TEST_F(CommandLine, TestWithoutAFileRunsTheBundledModels) {
  const Outcome outcome = run("test --json");
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  const auto object = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(object.is_object());
  EXPECT_EQ(object.value("passed", 0), 800);
  EXPECT_EQ(object.value("failed", -1), 0);
}

}  // namespace
}  // namespace netkit::test
