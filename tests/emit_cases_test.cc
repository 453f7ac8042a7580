// SPDX-License-Identifier: MIT
// Every value case of the shared folder that compiles also emits, both with inputs and outputs in
// the arena and in the caller's buffers; one program of them all gives the interpreter's bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "compiler/driver/verbs/run.h"
#include "compiler/emit/c/c_data.h"
#include "compiler/emit/c/c_emitter.h"
#include "compiler/emit/output_files.h"
#include "test_support.h"

namespace netkit::test {
namespace {

using Json = nlohmann::json;

struct Case {
  std::string name;
  Bytes inputs, outputs;  // one behind the other; outputs are the interpreter's
};

std::vector<std::string> input_specs(const std::string& folder, const Json& about) {
  std::vector<std::string> specs;
  for (const Json& input : about.value("inputs", Json::array())) {
    specs.push_back(fmt::format("{}={}/{}", input.value("name", ""), folder,
                                input.at("file").get<std::string>()));
  }
  return specs;
}

// A function that reads the inputs, runs the model once in a poisoned arena, writes the outputs.
std::string runner(const std::string& name, const Schedule& schedule) {
  std::string upper = name, buffers, reads, args, writes;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const auto add = [&](const InOut& io, bool input, size_t i) {
    const std::string id = fmt::format("{}{}", input ? "in" : "out", i);
    const std::string elems = fmt::format("{}_{}PUT{}_ELEMS", upper, input ? "IN" : "OUT", i);
    buffers += fmt::format("  static {} {}[{} + 1];\n", emit::c_type(io.type.dtype), id, elems);
    const std::string call = fmt::format("({0}, sizeof {0}[0], {1}, ", id, elems);
    if (input) reads += fmt::format("  if (fread{}f) != {}) return 1;\n", call, elems);
    if (!input) writes += fmt::format("  fwrite{}g);\n", call);
    args += (args.empty() ? "" : ", ") + id;
  };
  for (size_t i = 0; i < schedule.inputs.size(); ++i) add(schedule.inputs[i], true, i);
  for (size_t i = 0; i < schedule.outputs.size(); ++i) add(schedule.outputs[i], false, i);
  return fmt::format(
      "static int run_{0}(FILE* f, FILE* g) {{\n{2}  (void)f;\n  {0}_arena = "
      "arena({1}_ARENA_BYTES, "
      "{1}_ARENA_ALIGNMENT);\n{3}  if ({0}_arena == NULL || {0}_run({4}) != 0) return 2;\n{5}"
      "  return 0;\n}}\n",
      name, upper, buffers, reads, args, writes);
}

constexpr std::string_view kArena = R"(
static unsigned char memory[4 << 20];
static unsigned char* arena(size_t bytes, size_t alignment) {
  unsigned char* at = memory;
  if (bytes + alignment > sizeof memory) return NULL;
  memset(memory, 0xA5, bytes + alignment);
  while (((size_t)at & (alignment - 1)) != 0) ++at;
  return at;
}
)";

// Cases emitted in both forms, checked together.
class Batch {
 public:
  void add(const std::string& id, const std::string& folder, const Json& about) {
    const std::string model = folder + "/" + about.at("model").get<std::string>();
    auto session = driver::Session::open(model, {});
    if (!session) return;  // what may be refused is the business of cases_test
    const auto inputs = driver::gather_inputs(session->inputs(), input_specs(folder, about), false);
    ASSERT_TRUE(inputs) << id << ": " << inputs.error().message;
    const auto outputs = session->run(*inputs);
    ASSERT_TRUE(outputs) << id << ": " << outputs.error().message;
    for (const bool caller : {false, true}) {
      driver::CompileOptions options;
      if (caller) options.plan.in_out = plan::InOut::kCallerOwned;
      const auto made = driver::compile_file(model, options);
      ASSERT_TRUE(made) << id << ": " << made.error().message;
      const std::string name = fmt::format("{}{}", caller ? "caller" : "inside", count_);
      const auto files = emit::emit_c(made->program, {name, true});
      ASSERT_TRUE(files) << id << ": " << files.error().message << " " << files.error().where;
      files_.insert(files_.end(), files->begin(), files->end());
      includes_ += fmt::format("#include \"{}.h\"\n", name);
      functions_ += runner(name, made->program.schedule);
      calls_ += fmt::format("  if (run_{0}(f, g) != 0) {{ puts(\"{0}\"); return 3; }}\n", name);
      cases_.push_back({id + (caller ? " (io caller)" : ""), joined(*inputs), joined(*outputs)});
    }
    ++count_;
  }

  void check() {
    const std::string folder = work_folder("emit_cases");
    Bytes in;
    for (const Case& c : cases_) in.insert(in.end(), c.inputs.begin(), c.inputs.end());
    files_.push_back({"in.bin", {reinterpret_cast<const char*>(in.data()), in.size()}});
    files_.push_back({"main.c", "#include <stdio.h>\n#include <string.h>\n" + includes_ +
                                    std::string(kArena) + functions_ +
                                    "int main(void) {\n  FILE *f = fopen(\"in.bin\", \"rb\"), *g = "
                                    "fopen(\"out.bin\", \"wb\");\n"
                                    "  if (f == NULL || g == NULL) return 2;\n" +
                                    calls_ + "  return fclose(g) == 0 ? 0 : 5;\n}\n"});
    ASSERT_TRUE(emit::write_files(folder, files_));
    const std::string command = fmt::format(
        "cd '{}' && cc -std=c99 -O0 -Wall -Wextra -Werror -pedantic -DNETKIT_EXTERNAL_ARENA *.c "
        "-o all -lm && ./all",
        folder);
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    const Bytes out = read_bytes(folder + "/out.bin");
    size_t at = 0;
    for (const Case& c : cases_) {
      ASSERT_LE(at + c.outputs.size(), out.size()) << c.name;
      const auto begin = out.begin() + static_cast<std::ptrdiff_t>(at);
      EXPECT_TRUE(std::equal(c.outputs.begin(), c.outputs.end(), begin)) << c.name;
      at += c.outputs.size();
    }
    EXPECT_EQ(at, out.size());
  }

  size_t count() const { return count_; }

 private:
  std::vector<emit::OutputFile> files_;
  std::vector<Case> cases_;
  std::string includes_, functions_, calls_;
  size_t count_ = 0;
};

TEST(EmitCases, EmittedCodeGivesTheInterpretersBytes) {
  const auto shared = shared_folder();
  if (!shared) return;
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator(*shared + "/cases/")) {
    if (std::filesystem::exists(entry.path() / "case.json")) folders.insert(entry.path().string());
  }
  Batch batch;
  for (const std::string& folder : folders) {
    std::ifstream in(folder + "/case.json");
    const Json about = Json::parse(in, nullptr, false);
    ASSERT_FALSE(about.is_discarded()) << folder;
    if (about.at("kind") != "value") continue;
    batch.add(folder.substr(folder.rfind('/') + 1), folder, about);
  }
  EXPECT_GE(batch.count(), 100u);
  batch.check();
}

TEST(EmitNames, ThoseOfSystemHeadersAreRefused) {
  for (const char* name : {"stdint", "string", "math", "Math"}) {
    const auto files = emit::emit_c(Program(), {name, true});
    ASSERT_FALSE(files) << name;
    EXPECT_EQ(files.error().code, ErrorCode::kUsage);
    EXPECT_NE(files.error().message.find("header"), std::string::npos);
  }
}

}  // namespace
}  // namespace netkit::test
