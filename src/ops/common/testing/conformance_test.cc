// SPDX-License-Identifier: MIT
// Integer kernels against single-operator cases whose outputs come from the TensorFlow Lite
// interpreter: NETKIT_SHARED/models/conformance/cmsis_nn_int_cases.jsonl.gz (read with gzip).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "ops/common/host/op_helpers.h"
#include "ops/common/testing/kernel_check.h"
#include "ops/conv2d/conv2d.h"
#include "ops/conv2d/s16/conv2d_s16.h"
#include "ops/dwconv2d/dwconv2d.h"
#include "ops/dwconv2d/s16/dwconv2d_s16.h"
#include "ops/matmul/fully_connected.h"
#include "ops/matmul/matmul.h"
#include "ops/matmul/s16/matmul_s16.h"
#include "ops/pool2d/pool2d.h"
#include "ops/softmax/softmax.h"

namespace netkit {
namespace {

using nlohmann::json;

std::string cases_file() {
  const char* shared = std::getenv("NETKIT_SHARED");
  const std::string root = shared != nullptr ? shared : NETKIT_SOURCE_DIR "/../shared";
  return root + "/models/conformance/cmsis_nn_int_cases.jsonl.gz";
}

class Case {
 public:
  explicit Case(json text) : json_(std::move(text)), name_(json_["case"]) {
    for (const char c : name_) upper_ += static_cast<char>(std::toupper(c));
  }
  const std::string& name() const { return name_; }
  bool has(const std::string& key) const { return json_["defines"].contains(upper_ + "_" + key); }
  int32_t get(const std::string& key, int32_t fallback = 0) const {
    return has(key) ? json_["defines"][upper_ + "_" + key].get<int32_t>() : fallback;
  }
  // The first array that exists among case_<suffix>; empty when none does.
  std::vector<int32_t> array(std::initializer_list<const char*> suffixes) const {
    for (const char* suffix : suffixes) {
      const auto it = json_["arrays"].find(name_ + "_" + suffix);
      if (it != json_["arrays"].end()) return (*it)["data"].get<std::vector<int32_t>>();
    }
    return {};
  }
  std::vector<int64_t> wide_array(std::initializer_list<const char*> suffixes) const {
    for (const char* suffix : suffixes) {
      const auto it = json_["arrays"].find(name_ + "_" + suffix);
      if (it != json_["arrays"].end()) return (*it)["data"].get<std::vector<int64_t>>();
    }
    return {};
  }
  // Type of the activations: "int8", "int16", "" for what is not compared.
  std::string kind() const {
    if (name_.find("int4") != std::string::npos) return "";
    for (const char* suffix : {"input", "input_tensor", "lhs_input_tensor"}) {
      const auto it = json_["arrays"].find(name_ + "_" + suffix);
      if (it != json_["arrays"].end()) return (*it)["type"];
    }
    return "";
  }
  bool is_wide() const { return kind() == "int16"; }
  // The bias is 64 bits wide, or there is none and the case is not about one of 32.
  bool has_wide_bias() const { return name_.find("xint32") == std::string::npos; }
  // An array of int8.
  Bytes bytes(std::initializer_list<const char*> suffixes) const {
    const auto values = array(suffixes);
    return check::to_bytes(std::vector<int8_t>(values.begin(), values.end()));
  }
  // An array of the activations' type.
  Bytes activations(std::initializer_list<const char*> suffixes) const {
    const auto values = array(suffixes);
    if (!is_wide()) return bytes(suffixes);
    return check::to_bytes(std::vector<int16_t>(values.begin(), values.end()));
  }

 private:
  json json_;
  std::string name_, upper_;
};

template <typename Params>
void set_geometry(const Case& c, Params& p) {
  p.batch = c.get("INPUT_BATCHES", 1);
  p.in_h = p.in_ring_h = c.get("INPUT_H");
  p.in_w = c.get("INPUT_W");
  p.in_c = c.get("IN_CH");
  p.out_h = p.out_ring_h = p.out_y1 = c.get("OUTPUT_H");
  p.out_w = c.get("OUTPUT_W");
  p.out_c = c.get("OUT_CH");
  p.kernel_h = c.get("FILTER_Y");
  p.kernel_w = c.get("FILTER_X");
  p.stride_h = c.get("STRIDE_Y");
  p.stride_w = c.get("STRIDE_X");
  p.dilation_h = c.get("DILATION_Y", 1);
  p.dilation_w = c.get("DILATION_X", 1);
  p.pad_top = c.get("PAD_Y");
  p.pad_left = c.get("PAD_X");
}

template <typename Params>
void set_quantisation(const Case& c, Params& p) {
  p.input_offset = c.get("INPUT_OFFSET");
  p.filter_offset = c.get("FILTER_OFFSET");
  p.output_offset = c.get("OUTPUT_OFFSET");
  p.act_min = c.get("OUT_ACTIVATION_MIN");
  p.act_max = c.get("OUT_ACTIVATION_MAX");
  p.per_channel = 1;
}

// bias (zeros where the case has none), multiplier, shift.
void add_constants(const Case& c, int32_t out_c, check::KernelCase& k) {
  k.inputs.push_back(c.bytes({"weights"}));
  std::vector<int64_t> bias = c.wide_array({"biases", "bias"});
  if (bias.empty()) bias.assign(static_cast<size_t>(out_c), 0);
  k.inputs.push_back(c.is_wide() ? check::to_bytes(bias)
                                 : check::to_bytes(std::vector<int32_t>(bias.begin(), bias.end())));
  k.inputs.push_back(check::to_bytes(c.array({"output_mult", "output_multiplier"})));
  k.inputs.push_back(check::to_bytes(c.array({"output_shift"})));
}

void run(const Case& c, nk_kernel_fn fn, check::KernelCase k, const Bytes& expected) {
  ASSERT_FALSE(expected.empty()) << c.name();
  k.out_bytes = expected.size();
  const check::RunResult got = check::run_case(fn, k, {});
  EXPECT_EQ(got.fault, "") << c.name();
  EXPECT_EQ(got.output, expected) << c.name();
}

void run_conv2d(const Case& c) {
  nk_conv2d_params p{};
  set_geometry(c, p);
  set_quantisation(c, p);
  const size_t weights = c.bytes({"weights"}).size();
  p.groups = p.in_c * p.out_c * p.kernel_h * p.kernel_w / static_cast<int32_t>(weights);
  check::KernelCase k{bytes_of(p), {c.activations({"input"})}, 0, SIZE_MAX, c.name()};
  add_constants(c, p.out_c, k);
  run(c, c.is_wide() ? nk_conv2d_s16_ref : nk_conv2d_s8_ref, k,
      c.activations({"output_ref", "output"}));
}

void run_dwconv2d(const Case& c) {
  nk_dwconv2d_params p{};
  set_geometry(c, p);
  set_quantisation(c, p);
  p.depth_multiplier = c.get("CH_MULT");
  check::KernelCase k{bytes_of(p), {c.activations({"input"})}, 0, SIZE_MAX, c.name()};
  add_constants(c, p.out_c, k);
  run(c, c.is_wide() ? nk_dwconv2d_s16_ref : nk_dwconv2d_s8_ref, k,
      c.activations({"output_ref", "output"}));
}

void run_fully_connected(const Case& c) {
  nk_fully_connected_params p{};
  set_quantisation(c, p);
  p.rows = c.get("INPUT_BATCHES", 1);
  p.in_features = c.get("ACCUMULATION_DEPTH");
  p.out_features = c.get("OUT_CH");
  p.per_channel = c.has("OUTPUT_MULTIPLIER") ? 0 : 1;
  check::KernelCase k{bytes_of(p), {c.activations({"input"})}, 0, SIZE_MAX, c.name()};
  add_constants(c, p.out_features, k);
  if (p.per_channel == 0) {
    k.inputs[3] = check::to_bytes(std::vector<int32_t>{c.get("OUTPUT_MULTIPLIER")});
    k.inputs[4] = check::to_bytes(std::vector<int32_t>{c.get("OUTPUT_SHIFT")});
  }
  run(c, c.is_wide() ? nk_fully_connected_s16_ref : nk_fully_connected_s8_ref, k,
      c.activations({"output_ref", "output"}));
}

void run_pool2d(const Case& c, nk_kernel_fn fn) {
  nk_pool2d_params p{};
  p.batch = c.get("BATCH_SIZE", 1);
  p.in_h = p.in_ring_h = c.get("INPUT_H");
  p.in_w = c.get("INPUT_W");
  p.in_c = p.out_c = c.get("INPUT_C");
  p.out_h = p.out_ring_h = p.out_y1 = c.get("OUTPUT_H");
  p.out_w = c.get("OUTPUT_W");
  p.kernel_h = c.get("FILTER_H");
  p.kernel_w = c.get("FILTER_W");
  p.stride_h = c.get("STRIDE_H");
  p.stride_w = c.get("STRIDE_W");
  p.dilation_h = p.dilation_w = 1;
  p.pad_top = c.get("PADDING_H");
  p.pad_left = c.get("PADDING_W");
  p.act_min = c.get("ACTIVATION_MIN");
  p.act_max = c.get("ACTIVATION_MAX");
  run(c, fn, {bytes_of(p), {c.bytes({"input_tensor"})}, 0, SIZE_MAX, c.name()},
      c.bytes({"output"}));
}

void run_softmax(const Case& c) {
  nk_softmax_params p{};
  p.rows = c.get("NUM_ROWS");
  p.depth = c.get("ROW_SIZE");
  p.multiplier = c.get("INPUT_MULT");
  p.shift = c.get("INPUT_LEFT_SHIFT");
  p.diff_min = c.get("DIFF_MIN");
  run(c, nk_softmax_s8_ref, {bytes_of(p), {c.bytes({"input"})}, 0, SIZE_MAX, c.name()},
      c.bytes({"output_ref"}));
}

void run_matmul(const Case& c) {
  nk_matmul_params p{};
  const int32_t stack[] = {1, 1, c.get("OUTPUT_BATCH"), c.get("OUTPUT_HEIGHT")};
  const int32_t a_size = c.get("LHS_ROWS") * c.get("LHS_COLS");
  const int32_t b_size = c.get("RHS_ROWS") * c.get("RHS_COLS");
  std::copy(std::begin(stack), std::end(stack), p.stack);
  p.a_stack[2] = c.get("LHS_BATCH") == 1 ? 0 : a_size * c.get("LHS_HEIGHT");
  p.a_stack[3] = c.get("LHS_HEIGHT") == 1 ? 0 : a_size;
  p.b_stack[2] = c.get("RHS_BATCH") == 1 ? 0 : b_size * c.get("RHS_HEIGHT");
  p.b_stack[3] = c.get("RHS_HEIGHT") == 1 ? 0 : b_size;
  p.rows = c.get("OUTPUT_ROWS");
  p.cols = c.get("OUTPUT_COLS");
  const bool ta = c.get("ADJ_X") != 0, tb = c.get("ADJ_Y") != 0;
  p.depth = ta ? c.get("LHS_ROWS") : c.get("LHS_COLS");
  p.a_row = ta ? 1 : c.get("LHS_COLS");
  p.a_depth = ta ? c.get("LHS_COLS") : 1;
  p.b_col = tb ? c.get("RHS_COLS") : 1;
  p.b_depth = tb ? 1 : c.get("RHS_COLS");
  p.a_offset = c.get("LHS_OFFSET");
  p.b_offset = c.get("RHS_OFFSET");
  p.output_offset = c.get("OUTPUT_OFFSET");
  p.multiplier = c.get("OUTPUT_MULTIPLIER");
  p.shift = c.get("OUTPUT_SHIFT");
  run(c, c.is_wide() ? nk_matmul_s16_ref : nk_matmul_s8_ref,
      {bytes_of(p),
       {c.activations({"lhs_input_tensor"}), c.activations({"rhs_input_tensor"})},
       0,
       SIZE_MAX,
       c.name()},
      c.activations({"output"}));
}

// Whether the case is one of ours; runs it.
bool run_any(const Case& c) {
  if (c.kind() != "int8" && !(c.is_wide() && c.has_wide_bias())) return false;
  const auto begins = [&](const char* text) { return c.name().rfind(text, 0) == 0; };
  if (c.has("CH_MULT")) {
    run_dwconv2d(c);
  } else if (c.has("ACCUMULATION_DEPTH")) {
    run_fully_connected(c);
  } else if (begins("batch_matmul")) {
    run_matmul(c);
  } else if (c.has("FILTER_X") && c.has("DILATION_X") && c.name().find("transpose") == SIZE_MAX) {
    run_conv2d(c);
  } else if (c.is_wide()) {
    return false;
  } else if (begins("avgpool") || begins("maxpool")) {
    run_pool2d(c, begins("avgpool") ? nk_avg_pool2d_s8_ref : nk_max_pool2d_s8_ref);
  } else if (c.name() == "softmax") {
    run_softmax(c);
  } else {
    return false;
  }
  return true;
}

TEST(Conformance, IntegerKernelsEqualTensorFlowLite) {
  if (!std::filesystem::exists(cases_file())) {
    std::puts("the shared conformance cases are absent: nothing compared");
    return;
  }
  FILE* pipe = popen(("gzip -dc '" + cases_file() + "'").c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  std::string line;
  int compared = 0;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) {
    if (c != '\n') {
      line += static_cast<char>(c);
      continue;
    }
    compared += run_any(Case(json::parse(line))) ? 1 : 0;
    line.clear();
  }
  pclose(pipe);
  std::printf("%d cases compared\n", compared);
  EXPECT_EQ(compared, 73);
}

}  // namespace
}  // namespace netkit
