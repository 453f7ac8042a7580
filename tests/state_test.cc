// SPDX-License-Identifier: MIT
// State from file to device: variable tensors and resource variables, carried from run to run in
// the interpreter and in emitted C, reset, saved and restored.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/nk_format.h"
#include "compiler/driver/assemble.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/io/tensor_io.h"
#include "compiler/driver/session.h"
#include "compiler/driver/verbs/inspect.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/ir/graph.h"
#include "compiler/plan/plan.h"
#include "compiler/select/select.h"
#include "runtime/nk/crc32.h"
#include "test_support.h"

namespace netkit::test {
namespace {

using Json = nlohmann::json;

Result<Program> program_of(const std::string& text) {
  NK_ASSIGN(const Graph graph, parse_graph(text));
  const Target& target = *find_target("generic");
  NK_ASSIGN(Schedule schedule, select(graph, target));
  NK_ASSIGN(const plan::Layout layout,
            plan::plan(driver::to_problem(schedule, target.arena_alignment), {}));
  return driver::assemble(std::move(schedule), layout, false);
}

// A recurrence over `steps` of two rows, its weights by formula, and its state.
std::string recurrence(int steps) {
  const auto values = [](int count, int seed) {
    std::string text;
    for (int i = 0; i < count; ++i) text += fmt::format(" {}", ((i * seed) % 17 - 8) * 0.125);
    return text;
  };
  return fmt::format(R"(input %x float32[{0}x2x3]
input %h float32[2x2]
input %c float32[2x2]
const %w float32[8x3] ={1}
const %r float32[8x2] ={2}
const %b float32[8] ={3}
%y float32[{0}x2x2], %hn float32[2x2], %cn float32[2x2] = lstm(%x, %w, %r, %b, %h, %c)
output %y
state %h -> %hn
state %c -> %cn = 0.5 0 0 -0.5
)",
                     steps, values(24, 5), values(16, 7), values(8, 3));
}

driver::Session session_of(const std::string& text) {
  const auto program = program_of(text);
  if (!program) ADD_FAILURE() << program.error().message;
  const auto nk = write_nk(*program);
  if (!nk) ADD_FAILURE() << nk.error().message;
  auto session = driver::Session::from_nk(*nk, "state.nk");
  if (!session) ADD_FAILURE() << session.error().message;
  return std::move(*session);
}

Bytes ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 13) * 0.25f - 1.5f;
  Bytes bytes(count * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(State, TwoHalvesEqualTheWhole) {
  driver::Session whole = session_of(recurrence(4)), half = session_of(recurrence(2));
  const Bytes x = ramp(4 * 2 * 3);
  const auto middle = x.begin() + static_cast<ptrdiff_t>(x.size() / 2);
  const Bytes y = whole.run({x}).value()[0];
  Bytes joined = half.run({Bytes(x.begin(), middle)}).value()[0];
  const Bytes rest = half.run({Bytes(middle, x.end())}).value()[0];
  joined.insert(joined.end(), rest.begin(), rest.end());
  EXPECT_EQ(joined, y);
  EXPECT_EQ(whole.save_state(), half.save_state());
  EXPECT_EQ(whole.save_state().size(), 2 * 4 * sizeof(float));
}

TEST(State, ResetsSavesAndRestores) {
  driver::Session session = session_of(recurrence(2));
  const Bytes x = ramp(2 * 2 * 3), start = session.save_state();
  const Bytes first = session.run({x}).value()[0];
  const Bytes between = session.save_state();
  const Bytes second = session.run({x}).value()[0];
  EXPECT_NE(first, second);
  EXPECT_NE(start, between);
  ASSERT_TRUE(session.restore_state(between));
  EXPECT_EQ(session.run({x}).value()[0], second);
  session.reset();
  EXPECT_EQ(session.save_state(), start);
  EXPECT_EQ(session.run({x}).value()[0], first);
  session.poison(0x5A);
  EXPECT_EQ(session.run({x}).value()[0], first);
  EXPECT_FALSE(session.restore_state(Bytes(3)));
}

TEST(State, EmittedCodeCarriesIt) {
  const auto program = program_of(recurrence(2));
  ASSERT_TRUE(program) << program.error().message;
  driver::Session session = session_of(recurrence(2));
  const Bytes x = ramp(2 * 2 * 3);
  const std::vector<Bytes> inputs{x, x, x};
  const std::vector<Bytes> got = run_emitted_c(*program, work_folder("state_emitted"), inputs);
  ASSERT_EQ(got.size(), inputs.size());
  for (const Bytes& bytes : got) EXPECT_EQ(bytes, session.run({x}).value()[0]);
}

// An output that is the state as it was, and the state's next value among the outputs: each has
// memory of its own.
TEST(State, MayBeAnOutputToo) {
  driver::Session session = session_of(R"(input %x float32[2]
input %s float32[2]
%n float32[2] = add(%s, %x)
%before float32[2] = copy(%s)
%after float32[2] = copy(%n)
output %before
output %after
state %s -> %n = 1 2
)");
  const auto floats = [](const Bytes& bytes) {
    std::vector<float> out(bytes.size() / sizeof(float));
    std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  };
  Bytes x(2 * sizeof(float));
  const float values[] = {10, 20};
  std::memcpy(x.data(), values, sizeof values);
  const auto first = session.run({x}).value(), second = session.run({x}).value();
  EXPECT_EQ(floats(first[0]), (std::vector<float>{1, 2}));
  EXPECT_EQ(floats(first[1]), (std::vector<float>{11, 22}));
  EXPECT_EQ(floats(second[0]), (std::vector<float>{11, 22}));
  EXPECT_EQ(floats(second[1]), (std::vector<float>{21, 42}));
}

// The file with `value` in a field of its first state record, its checksums made anew.
Bytes forged(Bytes file, size_t field_at, uint32_t value) {
  auto* bytes = reinterpret_cast<uint8_t*>(file.data());
  auto& header = *reinterpret_cast<nk_file_header*>(bytes);
  auto* sections = reinterpret_cast<nk_file_section*>(bytes + header.header_bytes);
  for (uint32_t i = 0; i < header.section_count; ++i) {
    if (sections[i].kind != NK_SECTION_STATES) continue;
    std::memcpy(bytes + sections[i].offset + field_at, &value, sizeof value);
    sections[i].crc32 = crc32(bytes + sections[i].offset, sections[i].bytes);
  }
  constexpr size_t kFirst = offsetof(nk_file_header, file_bytes);
  const size_t end = header.header_bytes + header.section_count * sizeof(nk_file_section);
  header.header_crc32 = crc32(bytes + kFirst, static_cast<uint32_t>(end - kFirst));
  return file;
}

TEST(State, RecordsThatLeadOutsideAreRefused) {
  const auto program = program_of(recurrence(2));
  ASSERT_TRUE(program);
  const Bytes nk = write_nk(*program).value();
  ASSERT_TRUE(driver::Session::from_nk(forged(nk, offsetof(nk_file_state, name), 0), "state.nk"));
  const std::pair<size_t, uint32_t> kForged[] = {{offsetof(nk_file_state, name), 1u << 20},
                                                 {offsetof(nk_file_state, arena_offset), 1u << 20},
                                                 {offsetof(nk_file_state, arena_offset), 1},
                                                 {offsetof(nk_file_state, bytes), 1u << 20},
                                                 {offsetof(nk_file_state, bytes), 0xFFFFFFFFu},
                                                 {offsetof(nk_file_state, initial), 1u << 20},
                                                 {offsetof(nk_file_state, initial), 0xFFFFFFFEu}};
  for (const auto& [at, value] : kForged) {
    EXPECT_FALSE(driver::Session::from_nk(forged(nk, at, value), "state.nk")) << at << " " << value;
  }
}

// The fills of goldens.jsonl.gz.
Bytes filled(const TensorType& type, const std::string& fill) {
  const auto count = static_cast<size_t>(element_count(type.dims).value());
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i) {
    const auto word = static_cast<uint32_t>((i + 1) * 2654435761ull) >> 8;
    const int a = static_cast<int>(word >> 16) - (type.dtype == NK_INT8 ? 128 : 0);
    const int v = std::abs(static_cast<int>(i % 97) - 48);
    bytes[i] = static_cast<std::byte>(fill == "A" ? a : v + (type.dtype == NK_INT8 ? -24 : 96));
  }
  return bytes;
}

std::vector<Json> goldens(const std::string& file) {
  std::vector<Json> lines;
  std::FILE* pipe = popen(fmt::format("gzip -dc '{}'", file).c_str(), "r");
  if (pipe == nullptr) return lines;
  std::string text;
  char part[4096];
  for (size_t got; (got = fread(part, 1, sizeof part, pipe)) != 0;) text.append(part, got);
  pclose(pipe);
  for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    lines.push_back(Json::parse(text.begin() + static_cast<ptrdiff_t>(at),
                                text.begin() + static_cast<ptrdiff_t>(end), nullptr, false));
  }
  return lines;
}

// The copies that keep states are steps that no node of the graph has.
void expect_every_step_inspected(const std::string& path, size_t steps) {
  const auto inspected = driver::inspect_file(path, {});
  ASSERT_TRUE(inspected) << inspected.error().message;
  ASSERT_EQ(inspected->layers.size(), steps);
  for (const driver::LayerInfo& layer : inspected->layers) {
    EXPECT_FALSE(layer.outputs.empty()) << layer.name;
  }
}

// Streaming networks of 8-bit inputs and outputs: two runs on one instance, as the goldens have
// them, and the same from emitted C.
TEST(State, StreamingModelsGiveTheGoldenSteps) {
  const auto shared = shared_folder();
  if (!shared) return;
  size_t checked = 0;
  for (const Json& golden : goldens(*shared + "/models/goldens.jsonl.gz")) {
    const std::string model = golden.value("model", "");
    if (model.find("/mww_") == std::string::npos) continue;
    SCOPED_TRACE(model);
    const std::string path = *shared + "/models/" + model;
    const auto compiled = driver::compile_file(path, {});
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_FALSE(compiled->schedule.states.empty());
    expect_every_step_inspected(path, compiled->program.order.size());
    auto session = driver::Session::open(path, {});
    ASSERT_TRUE(session);
    std::vector<Bytes> inputs, outputs;
    for (const Json& run : golden["runs"]) {
      inputs.push_back(filled(session->inputs()[0].type, run["inputs"][0]["fill"]));
      outputs.push_back(session->run({inputs.back()}).value()[0]);
      const Json& wanted = run["outputs"][0]["samples"];
      for (size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_NEAR(driver::element(outputs.back(), session->outputs()[0].type.dtype, i),
                    wanted[i].get<double>(), 1.0);
      }
    }
    EXPECT_EQ(run_emitted_c(compiled->program, work_folder(fmt::format("state_model{}", checked)),
                            inputs),
              outputs);
    ++checked;
  }
  EXPECT_GE(checked, 5u);
}

// Recurrences of public models: emitted C equals the interpreter over three runs.
TEST(State, RecurrentModelsRunInBothForms) {
  const auto shared = shared_folder();
  if (!shared) return;
  for (const char* name :
       {"trained_lstm.tflite", "trained_lstm_int8.tflite", "keras_lstm_mnist_ptq.tflite"}) {
    SCOPED_TRACE(name);
    const std::string path = *shared + "/models/tflm/" + name;
    const auto compiled = driver::compile_file(path, {});
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_FALSE(compiled->schedule.states.empty());
    expect_every_step_inspected(path, compiled->program.order.size());
    auto session = driver::Session::open(path, {});
    ASSERT_TRUE(session);
    const TensorType& type = session->inputs()[0].type;
    const auto bytes = static_cast<size_t>(byte_count(type.dtype, type.dims).value());
    std::vector<Bytes> inputs(3, type.dtype == NK_FLOAT32 ? ramp(bytes / 4) : Bytes(bytes)),
        outputs;
    for (size_t i = 0; i < bytes && type.dtype != NK_FLOAT32; ++i) {
      inputs[1][i] = static_cast<std::byte>(i * 37);
    }
    for (const Bytes& input : inputs) outputs.push_back(session->run({input}).value()[0]);
    EXPECT_EQ(run_emitted_c(compiled->program, work_folder(std::string("state_") + name), inputs),
              outputs);
  }
}

// The audio front end of a public model on 20 frames of noise that grows fainter and loud again:
// all outputs hash to what TensorFlow Lite Micro (tflite-micro 0.dev20261023182759) gave, from
// emitted C as well, and once more after a reset.
TEST(State, AudioFrontEndsEqualTflm) {
  const auto shared = shared_folder();
  if (!shared) return;
  std::vector<Bytes> frames;
  uint32_t noise = 7;
  for (int frame = 0; frame < 20; ++frame) {
    std::vector<int16_t> samples(480);
    for (int16_t& sample : samples) {
      noise = noise * 1664525u + 1013904223u;
      sample = static_cast<int16_t>(static_cast<int16_t>(noise >> 16) >> (frame % 5 * 3));
    }
    frames.emplace_back(samples.size() * sizeof(int16_t));
    std::memcpy(frames.back().data(), samples.data(), frames.back().size());
  }
  const auto hash_of = [](const std::vector<Bytes>& outputs) {
    uint32_t hash = 2166136261u;
    for (const std::byte byte : joined(outputs)) {
      hash = (hash ^ static_cast<uint32_t>(byte)) * 16777619u;
    }
    return hash;
  };
  for (const auto& [name, hash] :
       {std::pair{"int8", 0xebec0fa9u}, std::pair{"float", 0x750a7dc3u}}) {
    SCOPED_TRACE(name);
    const std::string path =
        fmt::format("{}/models/tflm/audio_preprocessor_{}.tflite", *shared, name);
    const auto compiled = driver::compile_file(path, {});
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_EQ(compiled->schedule.states.size(), 1u);
    EXPECT_TRUE(compiled->layout.proven_minimal);
    auto session = driver::Session::open(path, {});
    ASSERT_TRUE(session);
    std::vector<Bytes> outputs;
    for (const Bytes& frame : frames) outputs.push_back(session->run({frame}).value()[0]);
    EXPECT_EQ(hash_of(outputs), hash);
    EXPECT_EQ(
        run_emitted_c(compiled->program, work_folder(std::string("front_end_") + name), frames),
        outputs);
    EXPECT_NE(session->run({frames[0]}).value()[0], outputs[0]);
    session->reset();
    EXPECT_EQ(session->run({frames[0]}).value()[0], outputs[0]);
  }
}

}  // namespace
}  // namespace netkit::test
