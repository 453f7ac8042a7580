// SPDX-License-Identifier: MIT
// What a command reads: no output replaces it, and options that say nothing to it are refused.
#include "command_line.h"

namespace netkit::test {
namespace {

class CommandInputs : public CommandLine {};

TEST_F(CommandInputs, NoOutputReplacesOne) {
  fs::create_directory(folder_ + "/d");
  fs::copy(folder_ + "/" + kModel, folder_ + "/d/m.tflite");
  fs::create_symlink("m.tflite", folder_ + "/d/link.tflite");
  fs::create_hard_link(folder_ + "/d/m.tflite", folder_ + "/d/hard.tflite");
  fs::copy(folder_ + "/planner/graph.json", folder_ + "/d/g.json");
  put("d/x.bin", std::string(784, '\0'));
  put("d/y.bin", std::string(10, '\0'));
  put("d/l.csv", "id,lower,upper,size\na,0,3,4\n");
  put("d/n.c", "{}");
  put("d/map.json", R"({"format":"netkit-memory/1","regions":[{"name":"R","bytes":9999999}]})");
  const std::string model = text("d/m.tflite"), graph = text("d/g.json");
  for (const std::string name :
       {"d/m.tflite", "d/../d/m.tflite", "./d/link.tflite", "d/hard.tflite"}) {
    for (const std::string verb : {"compile -o ", "plan -o ", "plan --html ", "plan --csv ",
                                   "plan --offline-tflite ", "run --input=d/x.bin --output "}) {
      expect_error(verb + name + " d/m.tflite", 2, "it is an input of this command");
    }
  }
  for (const std::string command :
       {"plan d/g.json -o d/g.json", "plan d/g.json -o n.json --svg d/g.json",
        "plan d/m.tflite --html d/g.json --compare d/g.json",
        "plan d/m.tflite d/g.json --exclusive -o d/g.json", "plan d/l.csv --csv d/l.csv",
        "plan d/g.json --memory-map d/map.json -o d/map.json",
        "compile d/m.tflite --memory-map d/map.json -o d/map.json",
        "run d/m.tflite --input d/x.bin --output d/x.bin",
        "run d/m.tflite --input =d/x.bin --output =d/x.bin",
        "compile d/m.tflite --case-inputs d/x.bin --case-outputs d/y.bin -o d/x.bin",
        "compile d/m.tflite --case-inputs d/x.bin --case-outputs d/y.bin -o d/y.bin"}) {
    expect_error(command, 2, "it is an input of this command");
  }
  for (const std::string command :  // before the work that would fail
       {"compile d/m.tflite --arena 1 -o d/m.tflite",
        "compile d/m.tflite --arena 1 --case-inputs d/x.bin --case-outputs d/y.bin -o d/x.bin",
        "emit d/m.tflite --arena 1 --memory-map d/n.c -o d --name n",
        "run d/m.tflite --arena 1 --input d/x.bin --output d/x.bin",
        "plan d/m.tflite none.tflite --exclusive --svg d/m.tflite",
        "plan d/g.json --html n.json --compare d/g.json --csv d/g.json",
        "plan none.tflite --html d/g.json --compare d/g.json"}) {
    expect_error(command, 2, "it is an input of this command");
  }
  EXPECT_FALSE(fs::exists(folder_ + "/n.json"));
  EXPECT_EQ(text("d/m.tflite"), model);
  EXPECT_EQ(text("d/g.json"), graph);
  EXPECT_EQ(text("d/x.bin"), std::string(784, '\0'));
  EXPECT_EQ(run("run d/m.tflite --input d/x.bin --output d/y.bin").code, 0) << "no input of it";
}

TEST_F(CommandInputs, OptionsThatSayNothingToThemAreRefused) {
  ASSERT_EQ(run(std::string("compile ") + kModel + " -o m.nk").code, 0);
  ASSERT_EQ(run("plan planner/graph.json -o p.json").code, 0);
  put("l.csv", "id,lower,upper,size\na,0,3,4\n");
  put("x.bin", std::string(784, '\0'));
  for (const std::string option :
       {"--order given", "--order best", "--class plain", "--without fuse_bias",
        "--target cortex-m4", "--shape x=1x2", "--time-limit 3"}) {
    const std::string name = option.substr(0, option.find(' ')) + ": says nothing to ";
    for (const std::string command : {"inspect m.nk ", "run m.nk --input x.bin ", "plan m.nk ",
                                      "plan p.json ", "plan m.nk m.nk --exclusive "}) {
      expect_error(command + option, 2, name);
    }
  }
  for (const std::string option : {"--target generic", "--without x", "--shape x=1"}) {
    expect_error("plan planner/graph.json " + option, 2, "an abstract graph");
  }
  expect_error("plan l.csv --order given", 2, "a list of given lives");
  for (const std::string command :
       {"plan planner/graph.json --order given --class plain", "plan l.csv --time-limit 3",
        "plan m.nk", "run m.nk --input x.bin", "inspect m.nk",
        "plan planner/graph.json --order given --html p.html --compare p.json"}) {
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.code, 0) << command << "\n" << outcome.err;
  }
}

TEST_F(CommandInputs, TheStoredBoundProvesThatNothingFits) {
  ASSERT_EQ(run(std::string("compile ") + kModel + " -o m.nk").code, 0);
  ASSERT_EQ(run("plan planner/graph.json -o p.json").code, 0);
  for (const std::string file : {"m.nk", "p.json"}) {
    const Outcome outcome = run("plan " + file + " --ram 16");
    EXPECT_EQ(outcome.code, 1);
    EXPECT_NE(outcome.out.find("proven: no plan"), std::string::npos) << outcome.out;
  }
}

TEST_F(CommandInputs, AMarkBeforeTextIsNoPartOfIt) {
  put("l.csv", "\xEF\xBB\xBFid,lower,upper,size\na,0,3,4\n");
  EXPECT_EQ(run("plan l.csv").code, 0);
  std::string values = "\xEF\xBB\xBF";
  for (int i = 0; i < 784; ++i) values += i == 0 ? "-1" : ",0";
  put("x.csv", values);
  EXPECT_EQ(run(std::string("run ") + kModel + " --input x.csv").code, 0);
}

TEST_F(CommandInputs, EveryRefusalSaysWhatToDo) {
  put("empty.tflite", "");
  put("short.csv", "1,2,3\n");
  put("cycle.json", R"({"format":"netkit-graph/1","tensors":[{"name":"a","bytes":1},)"
                    R"({"name":"b","bytes":1}],"ops":[{"name":"A","inputs":["b"],"outputs":["a"]},)"
                    R"({"name":"B","inputs":["a"],"outputs":["b"]}],"inputs":[],"outputs":["b"]})");
  const std::string model = std::string(kModel) + " ";
  for (const std::string& command :
       {std::string("plan empty.tflite"), std::string("plan none.tflite"), std::string("plan ."),
        std::string("plan cycle.json"), std::string("check-plan ."), "run " + model,
        "run " + model + "--input short.csv", "run " + model + "--input 1,2,3",
        "run " + model + "--input x=1", "run " + model + "--input short.csv --output x=o.bin",
        "plan " + model + "--memory-map .", "inspect " + model + "--arena 1"}) {
    const Outcome outcome = run(command);
    EXPECT_GE(outcome.code, 1) << command;
    EXPECT_NE(outcome.err.find("\n  "), std::string::npos) << command << "\n" << outcome.err;
    EXPECT_EQ(outcome.err.find("model file"), std::string::npos) << command << outcome.err;
  }
  expect_error("run " + model + "--input x=1", 2, "the model has no input 'x'");
  expect_error("plan .", 3, "is a folder, not a file\n  name a file in it");
  expect_error("plan none.tflite", 3, "no such file\n  check the name");
}

}  // namespace
}  // namespace netkit::test
