// SPDX-License-Identifier: MIT
// What one verb says holds for the others: figures of flash, fits and refusals, modes, times, plans
// that were stored, and what a file is by its content.
#include <nlohmann/json.hpp>

#include "command_line.h"
#include "compiler/driver/compile.h"
#include "compiler/emit/nk/nk_writer.h"

namespace netkit::test {
namespace {

using nlohmann::json;

class CommandTruth : public CommandLine {
 protected:
  json json_of(const std::string& command, int code = 0) const {
    const Outcome outcome = run(command + " --json");
    EXPECT_EQ(outcome.code, code) << command << "\n" << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }
  void put_map(int64_t flash_bytes) const {
    const json map = {{"format", "netkit-memory/1"},
                      {"regions", {{{"name", "R"}, {"bytes", 1 << 20}}}},
                      {"flash_bytes", flash_bytes}};
    put("map.json", map.dump());
  }
};

const std::string kNet = kModel;

// The exit code is the answer where stderr takes nothing.
TEST_F(CommandTruth, AFullStderrChangesNoExitCode) {
  for (const auto& [command, code] : std::vector<std::pair<std::string, int>>{
           {"plan nofile", 3}, {"plan --no-such", 2}, {"plan " + kNet, 0}}) {
    const std::string line = std::string("cd '") + folder_ + "' && '" + NETKIT_BINARY_DIR +
                             "/netkit' " + command + " > /dev/null 2> /dev/full";
    const int status = std::system(line.c_str());
    ASSERT_TRUE(WIFEXITED(status)) << line;
    EXPECT_EQ(WEXITSTATUS(status), code) << line;
  }
}

TEST_F(CommandTruth, RamAndArenaAreOneLimit) {
  expect_error("plan " + kNet + " --ram 20K --arena 11K", 2, "--arena: is a limit of the arena");
}

TEST_F(CommandTruth, PlanAndEmitCountTheSameFlash) {
  const json emitted = json_of("emit " + kNet + " -o c --name net");
  const int64_t flash =
      emitted["weight_bytes"].get<int64_t>() + emitted["parameter_bytes"].get<int64_t>();
  for (const int64_t room : {flash, flash - 1}) {
    put_map(room);
    const int code = room < flash ? 1 : 0;
    EXPECT_EQ(run("emit " + kNet + " --memory-map map.json -o c2").code, code) << room;
    EXPECT_EQ(run("plan " + kNet + " --memory-map map.json").code, code) << room;
    const json memory = json_of("plan " + kNet + " --memory-map map.json", code)["memory"];
    EXPECT_EQ(memory["fits"], code == 0);
    EXPECT_EQ(memory["flash"]["used_bytes"], flash);
    EXPECT_EQ(memory["flash"]["short_bytes"], flash - room);
  }
  const std::string total = std::to_string(flash) + " B";
  const std::string words = " of weights and parameters";
  EXPECT_NE(run("inspect " + kNet + " --full").out.find(total), std::string::npos);
  EXPECT_NE(run("inspect " + kNet + " --full").out.find("B after a run; kernel workspace "),
            std::string::npos);
  EXPECT_NE(run("emit " + kNet + " -o c").out.find("weights and parameters " + total),
            std::string::npos);
  EXPECT_NE(text("c/net.h").find(total + words), std::string::npos) << text("c/net.h");
  EXPECT_NE(run("plan " + kNet + " --memory-map map.json").out.find("weights and parameters"),
            std::string::npos);
}

TEST_F(CommandTruth, AnNkFileIsWholeInFlashAndAPlanIsNotChecked) {
  ASSERT_EQ(run("compile " + kNet + " -o m.nk").code, 0);
  const auto bytes = static_cast<int64_t>(fs::file_size(folder_ + "/m.nk"));
  for (const int64_t room : {bytes, bytes - 1}) {
    put_map(room);
    const int code = room < bytes ? 1 : 0;
    EXPECT_EQ(run("compile " + kNet + " --memory-map map.json -o n.nk").code, code);
    EXPECT_EQ(run("plan m.nk --memory-map map.json").code, code);
  }
  put_map(1);
  ASSERT_EQ(run("plan m.nk -o p.json").code, 0);
  const Outcome outcome = run("plan p.json --memory-map map.json");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("not checked"), std::string::npos) << outcome.out;
}

TEST_F(CommandTruth, TimesAreOfOneRun) {
  put("zeros.bin", std::string(784, '\0'));
  const json many = json_of("run " + kNet + " --input zeros.bin --repeat 50 --profile");
  EXPECT_EQ(many["runs"], 50);
  double steps = 0;
  for (const json& step : many["profile"]) steps += step["seconds"].get<double>();
  EXPECT_LE(steps, many["seconds"].get<double>());
  EXPECT_NE(run("run " + kNet + " --input zeros.bin --repeat 3").out.find("the mean of 3 runs"),
            std::string::npos);
  EXPECT_EQ(run("run " + kNet + " --input zeros.bin").out.find("mean"), std::string::npos);
}

TEST_F(CommandTruth, AnNkFileTellsTheModesOfItsModel) {
  for (const std::string model : {"models/digits_cnn_int8.tflite",
                                  "models/digits_dscnn_int8.tflite", "models/digits_cnn.onnx"}) {
    ASSERT_EQ(run("compile " + model + " -o m.nk").code, 0) << model;
    const json of_model = json_of("inspect " + model), of_file = json_of("inspect m.nk");
    ASSERT_EQ(of_model["layers"].size(), of_file["layers"].size()) << model;
    for (size_t i = 0; i < of_model["layers"].size(); ++i) {
      EXPECT_EQ(of_model["layers"][i]["mode"], of_file["layers"][i]["mode"]) << model << i;
    }
    EXPECT_EQ(of_file["test_cases"], 0);
  }
  EXPECT_NE(run("inspect m.nk").out.find(" B at "), std::string::npos);
}

TEST_F(CommandTruth, AStoredPlanIsCheckedBeforeItIsShown) {
  for (const std::string& made : {kNet + " -o p.json", kNet + " --class plain -o p.json",
                                  kNet + " models/digits_dscnn_int8.tflite --exclusive -o p.json",
                                  kNet + " planner/graph.json --concurrent -o p.json",
                                  std::string("planner/graph.json -o p.json")}) {
    ASSERT_EQ(run("plan " + made).code, 0) << made;
    EXPECT_EQ(run("plan p.json").code, 0) << made << run("plan p.json").err;
  }
  json plan = json::parse(text("p.json"));
  for (json& buffer : plan["buffers"]) buffer["offset"] = 0;
  put("zero.json", plan.dump());
  for (const std::string option : {"", " --json", " --svg x.svg", " --ram 1M"}) {
    expect_error("plan zero.json" + option, 3,
                 "zero.json: plan.lower_bound_bytes: is 139264, above the highest end");
  }
  EXPECT_FALSE(fs::exists(folder_ + "/x.svg"));
  ASSERT_EQ(run("plan " + kNet + " -o p.json").code, 0);
  json unstated = json::parse(text("p.json"));
  for (json& buffer : unstated["buffers"]) buffer.erase("overlaps");
  put("unstated.json", unstated.dump());
  expect_error("plan unstated.json", 3, "but no buffer states an overlap at this step");
  for (json& step : unstated["steps"]) step.erase("overlap");
  put("unstated.json", unstated.dump());
  expect_error("plan unstated.json", 3, "are alive together and share bytes");
  ASSERT_EQ(run("plan " + kNet + " --csv l.csv").code, 0);
  ASSERT_EQ(run("plan l.csv -o l.json").code, 0);
  const Outcome again = run("plan l.json --csv again.csv");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(text("l.csv").find("gaps") == std::string::npos,
            text("again.csv").find("gaps") == std::string::npos);
}

TEST_F(CommandTruth, ThePlanInsideAnNkFileIsCheckedToo) {
  auto made = driver::compile_file(folder_ + "/" + kNet, {});
  ASSERT_TRUE(made);
  const std::string good = made->program.plan_json;
  struct PlanChange {
    std::string field, words;
  };
  for (const PlanChange& c : {PlanChange{"lower_bound_bytes", "plan.lower_bound_bytes: is "},
                              {"live_bytes", ".live_bytes: is "},
                              {"tensor_sum_bytes", "plan.tensor_sum_bytes: is "}}) {
    std::string& plan = made->program.plan_json = good;
    plan.insert(plan.rfind("\"" + c.field + "\":") + c.field.size() + 3, "9");
    const auto file = write_nk(made->program);
    ASSERT_TRUE(file);
    put("forged.nk", {reinterpret_cast<const char*>(file->data()), file->size()});
    for (const std::string verb : {"plan ", "inspect "}) {
      expect_error(verb + "forged.nk", 3, "forged.nk: the plan inside: ");
      expect_error(verb + "forged.nk", 3, c.words);
    }
  }
  made->program.plan_json = good;
  made->program.arena_bytes += 16;
  const auto file = write_nk(made->program);
  ASSERT_TRUE(file);
  put("forged.nk", {reinterpret_cast<const char*>(file->data()), file->size()});
  expect_error("inspect forged.nk", 3, ", the file's arena is ");
}

TEST_F(CommandTruth, JsonCarriesTheVerdict) {
  const int64_t arena = json_of("plan " + kNet)["arena_bytes"];
  const json fits = json_of("plan " + kNet + " --ram " + std::to_string(arena))["ram"];
  EXPECT_EQ(fits["fits"], true);
  EXPECT_EQ(fits["short_bytes"], 0);
  const json none = json_of("plan " + kNet + " --ram " + std::to_string(arena - 1), 1)["ram"];
  EXPECT_EQ(none["fits"], false);
  EXPECT_EQ(none["short_bytes"], 1);
  EXPECT_EQ(none["proven"], true);
  for (const std::string verb : {"plan ", "inspect "}) {
    EXPECT_EQ(json_of(verb + kNet + " --arena " + std::to_string(arena))["arena"]["fits"], true);
    EXPECT_EQ(json_of(verb + kNet + " --arena 16", 1)["arena"]["fits"], false);
    EXPECT_FALSE(json_of(verb + kNet).contains("arena"));
  }
}

TEST_F(CommandTruth, AFileIsWhatItHolds) {
  ASSERT_EQ(run("compile " + kNet + " -o m.nk").code, 0);
  ASSERT_EQ(run("plan " + kNet + " -o p.json").code, 0);
  const auto copy = [&](const std::string& from, const std::string& to) {
    fs::copy_file(folder_ + "/" + from, folder_ + "/" + to);
  };
  put("zeros.bin", std::string(784, '\0'));
  for (const std::string ending : {".tflite", ".onnx", ".json", ".csv", ".bin", ""}) {
    copy("m.nk", "nk" + ending);
    copy(kNet, "model" + ending);
    copy("planner/graph.json", "graph" + ending);
    copy("p.json", "plan" + ending);
    for (const std::string file : {"nk", "model", "graph", "plan"}) {
      const Outcome outcome = run("plan " + file + ending);
      EXPECT_EQ(outcome.code, 0) << file << ending << outcome.err;
    }
    EXPECT_EQ(run("run nk" + ending + " --input zeros.bin").code, 0) << ending;
    EXPECT_EQ(run("run model" + ending + " --input zeros.bin").code, 0) << ending;
  }
  for (const auto& entry : fs::directory_iterator(folder_ + "/models")) {
    if (entry.path().extension() != ".onnx") continue;
    fs::copy_file(entry.path(), folder_ + "/onnx.tflite");
    EXPECT_EQ(run("plan onnx.tflite").code, 0) << run("plan onnx.tflite").err;
    break;
  }
}

TEST_F(CommandTruth, WhatIsCompiledIsToldApartFromWhatIsBroken) {
  ASSERT_EQ(run("compile " + kNet + " -o m.nk").code, 0);
  put("cut.nk", text("m.nk").substr(0, 5000));
  for (const std::string verb : {"compile -o x.nk ", "emit -o x "}) {
    expect_error(verb + "m.nk", 3, "give the model it was made from");
    expect_error(verb + "cut.nk", 3, "file is cut short");
  }
  put("proof.json", R"({"format":"netkit-certificate/1","pl)");
  expect_error("check-plan proof.json", 3, "not valid JSON at byte ");
}

}  // namespace
}  // namespace netkit::test
