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
  EXPECT_FALSE(fs::exists(folder_ + "/n.json"));
  EXPECT_EQ(text("d/m.tflite"), model);
  EXPECT_EQ(text("d/g.json"), graph);
  EXPECT_EQ(text("d/x.bin"), std::string(784, '\0'));
  EXPECT_EQ(run("run d/m.tflite --input d/x.bin --output d/y.bin").code, 0) << "no input of it";
}

}  // namespace
}  // namespace netkit::test
