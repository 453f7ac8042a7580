// SPDX-License-Identifier: MIT
// State in every form of emitted code: kept from run to run, saved, restored and reset, in arenas
// that held something else before; the interpreter's bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compiler/driver/assemble.h"
#include "compiler/driver/session.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/emit/output_files.h"
#include "compiler/ir/graph.h"
#include "compiler/plan/plan.h"
#include "compiler/select/select.h"
#include "emitted_forms.h"
#include "test_support.h"

namespace netkit::test {
namespace {

// Two inputs, a then b; the output of a, the state, the outputs of b, of b again (from that state),
// of a after a reset.
constexpr std::string_view kMainC = R"(#include <stdio.h>
#include <string.h>
#include "net.h"
typedef IN in_t;
typedef OUT out_t;
static in_t a[NET_INPUT0_ELEMS], b[NET_INPUT0_ELEMS];
static out_t y[NET_OUTPUT0_ELEMS];
static unsigned char saved[NET_STATE_BYTES], begun[NET_STATE_BYTES];
static int once(const in_t* x) {
  return net_run(x, y) != 0 || fwrite(y, sizeof y, 1, stdout) != 1;
}
int main(void) {
#ifdef NETKIT_EXTERNAL_ARENA
  static union { double d; long long l; unsigned char bytes[NET_ARENA_BYTES + 64]; } memory;
  net_reset();
  if (net_save_state(saved) != 1 || net_restore_state(saved) != 1) return 1;
  memset(&memory, 0xA5, sizeof memory);
  net_arena = memory.bytes + (64 - ((uintptr_t)memory.bytes & 63)) % 64;
#endif
  if (fread(a, sizeof a, 1, stdin) != 1 || fread(b, sizeof b, 1, stdin) != 1) return 2;
  if (net_save_state(NULL) != 1 || net_restore_state(NULL) != 1) return 3;
  if (net_save_state(begun) || once(a) || net_save_state(saved)) return 4;
  if (fwrite(saved, sizeof saved, 1, stdout) != 1 || once(b)) return 5;
  if (net_restore_state(saved) || once(b)) return 6;
  net_reset();
  if (net_save_state(saved) || memcmp(saved, begun, sizeof saved) != 0) return 7;
  net_reset();
  return once(a);
}
)";
constexpr std::string_view kMainCpp = R"(#include <cstdio>
#include <cstring>
#include "net.hpp"
using in_t = IN;
using out_t = OUT;
static in_t a[net::kInput0Elems], b[net::kInput0Elems];
static out_t y[net::kOutput0Elems];
static unsigned char saved[net::kStateBytes], begun[net::kStateBytes];
static unsigned char memory[net::kArenaBytesRecommended];
static bool once(net::Model& model, const in_t* x) {
  return model.forward(x, y) && std::fwrite(y, sizeof y, 1, stdout) == 1;
}
int main() {
  net::Model model, other;
  model.reset();
  if (model.save_state(saved) || model.restore_state(saved)) return 1;
  if (std::fread(a, sizeof a, 1, stdin) != 1 || std::fread(b, sizeof b, 1, stdin) != 1) return 2;
  std::memset(memory, 0xA5, sizeof memory);
  if (!model.load(memory, sizeof memory) || !other.load()) return 3;
  if (model.save_state(nullptr) || model.restore_state(nullptr)) return 4;
  if (!model.save_state(begun) || !once(model, a) || !model.save_state(saved)) return 5;
  if (std::fwrite(saved, sizeof saved, 1, stdout) != 1) return 6;
  if (!other.restore_state(saved) || !once(model, b) || !once(other, b)) return 7;
  model.reset();
  if (!model.save_state(saved) || std::memcmp(saved, begun, sizeof saved) != 0) return 8;
  return once(model, a) ? 0 : 9;
}
)";

std::string main_of(bool is_c, const char* in, const char* out) {
  std::string text(is_c ? kMainC : kMainCpp);
  text.replace(text.find("IN"), 2, in);
  return text.replace(text.find("OUT"), 3, out);
}

// What the mains print.
Bytes expected_of(driver::Session& session, const Bytes& a, const Bytes& b) {
  const Bytes begun = session.save_state(), first = session.run({a}).value()[0];
  const Bytes state = session.save_state(), second = session.run({b}).value()[0];
  EXPECT_NE(state, begun);
  session.reset();
  EXPECT_EQ(session.run({a}).value()[0], first);
  session.reset();
  return joined({first, state, second, second, first});
}

Result<Program> program_of(const std::string& text, bool caller_io) {
  NK_ASSIGN(const Graph graph, parse_graph(text));
  const Target& target = *find_target("generic");
  NK_ASSIGN(Schedule schedule, select(graph, target));
  plan::PlanOptions options;
  if (caller_io) options.in_out = plan::InOut::kCallerOwned;
  NK_ASSIGN(const plan::Layout layout,
            plan::plan(driver::to_problem(schedule, target.arena_alignment), options));
  return driver::assemble(std::move(schedule), layout, caller_io);
}

// One state that begins with zeros, one with values.
constexpr std::string_view kRecurrence = R"(input %x float32[3x1x2]
input %h float32[1x2]
input %c float32[1x2]
const %w float32[8x2] = 0.5 -1 0.25 2 -0.5 1 1 -1 0.125 3 -2 0.5 1 0 0.75 -0.25
const %r float32[8x2] = 1 0.5 -1 0.25 0 2 0.5 -0.5 1 -0.125 0.25 1 -1 1 0.5 0
const %b float32[8] = 0 0.5 -0.5 1 0.25 -1 0.125 0
%y float32[3x1x2], %hn float32[1x2], %cn float32[1x2] = lstm(%x, %w, %r, %b, %h, %c)
output %y
state %h -> %hn
state %c -> %cn = 0.5 -0.25
)";

Bytes floats(std::initializer_list<float> values) {
  const auto bytes = std::as_bytes(std::span(values.begin(), values.size()));
  return {bytes.begin(), bytes.end()};
}

TEST(StateForms, EachKeepsSavesRestoresAndResets) {
  const std::string text(kRecurrence);
  const Bytes a = floats({0.5f, -1, 2, 0.25f, -0.75f, 1}), b = floats({1, 1, -0.5f, 0, 0.125f, -2});
  const auto program = program_of(text, false), outside = program_of(text, true);
  ASSERT_TRUE(program && outside);
  auto session = driver::Session::from_nk(write_nk(*program).value(), "state.nk");
  ASSERT_TRUE(session) << session.error().message;
  const Bytes expected = expected_of(*session, a, b);
  for (const EmittedForm& form : kEmittedForms) {
    SCOPED_TRACE(form.name);
    const std::string folder = work_folder(std::string("state_form_") + form.name);
    const auto files = emit::emit_c(form.caller_io ? *outside : *program, form.c_options());
    ASSERT_TRUE(files) << files.error().message;
    ASSERT_TRUE(emit::write_files(folder, *files));
    const std::string main = main_of(form.is_c(), "float", "float");
    expect_output(form, folder, main, joined({a, b}), expected);
    if (!form.is_c()) continue;
    expect_output(form, folder, main, joined({a, b}), expected, "-DNETKIT_EXTERNAL_ARENA");
  }
}

// A streaming network of 8-bit inputs and outputs, as it is exported.
TEST(StateForms, AStreamingModel) {
  const auto shared = shared_folder();
  if (!shared) return;
  const std::string path = *shared + "/models/wakeword/mww_v2_hey_jarvis.tflite";
  auto session = driver::Session::open(path, {});
  ASSERT_TRUE(session) << session.error().message;
  const TensorType& in = session->inputs()[0].type;
  Bytes a(static_cast<size_t>(byte_count(in.dtype, in.dims).value())), b(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<std::byte>(i * 37);
    b[i] = static_cast<std::byte>(200 - i * 11);
  }
  const auto type = [](nk_dtype dtype) { return dtype == NK_INT8 ? "int8_t" : "uint8_t"; };
  const Bytes expected = expected_of(*session, a, b);
  for (const EmittedForm& form : kEmittedForms) {
    SCOPED_TRACE(form.name);
    const std::string folder = work_folder(std::string("state_stream_") + form.name);
    const auto report = driver::emit_model(path, {}, form.options(folder));
    ASSERT_TRUE(report) << report.error().message;
    expect_output(form, folder,
                  main_of(form.is_c(), type(in.dtype), type(session->outputs()[0].type.dtype)),
                  joined({a, b}), expected);
  }
}

}  // namespace
}  // namespace netkit::test
