// SPDX-License-Identifier: MIT
// SwiftNet, the graph that orders of operators are compared by: peak of the file's order, least
// order, and what views of splits and concatenations read part by part save, proven; and the plan
// of the net itself, run in the interpreter and as C, each layer equal to a plain computation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>

#include "compiler/driver/assemble.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/session.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/passes/passes.h"
#include "compiler/plan/plan.h"
#include "compiler/select/select.h"
#include "ops/common/testing/int_oracle.h"
#include "test_support.h"

namespace netkit::test {
namespace {

constexpr const char* kModel = "/data/planner-models/swiftnet_vww224_uint8.tflite";

struct Choice {
  bool split_views;   // a split may be a view of its input
  bool concat_parts;  // the reader of a concatenation reads its parts
};

// The file's own operators, one step each.
plan::Problem problem_of(const ForeignGraph& graph, Choice choice) {
  plan::Problem p;
  std::vector<int> index(graph.tensors.size(), -1);
  const auto planned = [&](int t) {
    if (index[t] >= 0) return index[t];
    const ForeignTensor& tensor = graph.tensors[t];
    index[t] = static_cast<int>(p.tensors.size());
    p.tensors.push_back({tensor.name, byte_count(tensor.type.dtype, tensor.type.dims).value_or(0)});
    return index[t];
  };
  std::vector<std::vector<int>> parts(graph.tensors.size());
  for (const ForeignNode& node : graph.nodes) {
    std::vector<int> reads;
    for (const int t : node.inputs) {
      if (t == kAbsent || graph.tensors[t].data != nullptr) continue;
      if (parts[t].empty()) {
        reads.push_back(t);
      } else {
        reads.insert(reads.end(), parts[t].begin(), parts[t].end());
      }
    }
    if (choice.concat_parts && node.op == "CONCATENATION") {
      parts[node.outputs[0]] = reads;
      continue;
    }
    plan::Step step;
    step.name = node.name;
    for (const int t : reads) {
      const int id = planned(t);
      if (std::ranges::count(step.inputs, id) == 0) step.inputs.push_back(id);
    }
    for (const int t : node.outputs) step.outputs.push_back(planned(t));
    if (choice.split_views && node.op == "SPLIT") step.views = {{0, 0, 0}};
    p.steps.push_back(step);
  }
  for (const int t : graph.inputs) p.inputs.push_back(planned(t));
  for (const int t : graph.outputs) p.outputs.push_back(planned(t));
  return p;
}

void expect_arena(const ForeignGraph& graph, Choice choice, int64_t bytes) {
  plan::PlanOptions options;
  options.class_limit = plan::PlanClass::kPlain;
  const auto layout = plan::plan(problem_of(graph, choice), options);
  ASSERT_TRUE(layout.has_value()) << layout.error().message;
  EXPECT_EQ(layout->arena_bytes, bytes);
  EXPECT_TRUE(layout->proven_minimal);
}

TEST(SwiftNetPlan, ReachesTheProvenMinimumOfEachChoice) {
  const auto shared = shared_folder();
  if (!shared) return;
  driver::CompileOptions options;
  options.last = driver::Phase::kImport;
  const auto made = driver::compile_file(*shared + kModel, options);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  plan::PlanOptions given;
  given.order = plan::OrderChoice::kGiven;
  const auto as_stored = plan::plan(problem_of(made->foreign, {false, false}), given);
  ASSERT_TRUE(as_stored.has_value()) << as_stored.error().message;
  EXPECT_EQ(as_stored->given_order_peak_bytes, 351'232);
  EXPECT_EQ(as_stored->arena_bytes, 351'232);
  expect_arena(made->foreign, {false, false}, 301'056);
  expect_arena(made->foreign, {true, false}, 275'968);
  expect_arena(made->foreign, {true, true}, 200'704);
}

// The file's operators on uint8 values, written down as TensorFlow Lite's paper and reference state
// them, one element at a time; it shares nothing with the kernels.
class Plain {
 public:
  explicit Plain(const ForeignGraph& graph) : graph_(graph), values_(graph.tensors.size()) {
    for (size_t t = 0; t < values_.size(); ++t) {
      const ForeignTensor& tensor = graph.tensors[t];
      if (tensor.data == nullptr || tensor.type.dtype != NK_UINT8) continue;
      for (const std::byte b : *tensor.data) values_[t].push_back(static_cast<uint8_t>(b));
    }
  }

  // Values of every tensor; `inputs` are those of the graph's only input.
  const std::vector<std::vector<uint8_t>>& run(const Bytes& inputs) {
    auto& in = values_[at(graph_.inputs[0])];
    in.clear();
    for (const std::byte b : inputs) in.push_back(static_cast<uint8_t>(b));
    for (const ForeignNode& node : graph_.nodes) step(node);
    return values_;
  }

 private:
  struct Scale {
    int64_t multiplier;
    int shift;
  };
  static Scale scale_of(double real) {
    int exponent = 0;
    const double fraction = std::frexp(real, &exponent);
    int64_t multiplier = std::llround(fraction * 2147483648.0);
    if (multiplier == int64_t{1} << 31) {
      multiplier /= 2;
      ++exponent;
    }
    return {multiplier, exponent};
  }

  static size_t at(int64_t i) { return static_cast<size_t>(i); }
  const TensorType& type(int t) const { return graph_.tensors[at(t)].type; }
  const Dims& dims(int t) const { return type(t).dims; }
  float scale(int t) const { return type(t).quant.scale[0]; }
  int64_t zero(int t) const { return type(t).quant.zero_point[0]; }
  int64_t bias(const ForeignNode& node, int64_t oc) const {
    if (node.inputs.size() < 3 || node.inputs[2] == kAbsent) return 0;
    int32_t value = 0;
    std::memcpy(&value, graph_.tensors[at(node.inputs[2])].data->data() + 4 * oc, 4);
    return value;
  }

  void step(const ForeignNode& node) {
    std::vector<uint8_t>& y = values_[at(node.outputs[0])];
    y.clear();
    if (node.op == "CONV_2D" || node.op == "DEPTHWISE_CONV_2D") return convolve(node, y);
    if (node.op == "MAX_POOL_2D" || node.op == "AVERAGE_POOL_2D") return pool(node, y);
    if (node.op == "CONCATENATION") return concat(node, y);
    if (node.op == "FULLY_CONNECTED") return dense(node, y);
    if (node.op == "ADD") return add(node, y);
    if (node.op == "SOFTMAX") return;
    ASSERT_EQ(node.op, "SPLIT");
    ASSERT_EQ(node.outputs.size(), 1u);
    y = values_[at(node.inputs[1])];
  }

  static int64_t padding(const ForeignNode& node, int64_t in, int64_t out, int64_t kernel,
                         int64_t stride) {
    if (node.attrs.get_string("padding") == "VALID") return 0;
    return std::max<int64_t>(0, (out - 1) * stride + kernel - in) / 2;
  }

  // f(position of the pixel's first channel in x, ky, kx) for the taps of output pixel (oy, ox).
  template <typename F>
  void taps(const ForeignNode& node, int x, int64_t kh, int64_t kw, int64_t oy, int64_t ox, F f) {
    const Dims &in = dims(x), &out = dims(node.outputs[0]);
    const int64_t sh = node.attrs.get_int("stride_h"), sw = node.attrs.get_int("stride_w");
    for (int64_t k = 0; k < kh * kw; ++k) {
      const int64_t iy = oy * sh - padding(node, in[1], out[1], kh, sh) + k / kw;
      const int64_t ix = ox * sw - padding(node, in[2], out[2], kw, sw) + k % kw;
      if (iy < 0 || iy >= in[1] || ix < 0 || ix >= in[2]) continue;
      f((iy * in[2] + ix) * in[3], k / kw, k % kw);
    }
  }

  void convolve(const ForeignNode& node, std::vector<uint8_t>& y) {
    const int xt = node.inputs[0], wt = node.inputs[1], yt = node.outputs[0];
    const bool depthwise = node.op == "DEPTHWISE_CONV_2D";
    const auto &x = values_[at(xt)], &w = values_[at(wt)];
    const int64_t kh = dims(wt)[1], kw = dims(wt)[2], channels = dims(wt)[3];
    const Scale m = scale_of(double{scale(xt) * scale(wt)} / double{scale(yt)});
    const int64_t zx = zero(xt), zw = zero(wt);
    for (int64_t p = 0; p < dims(yt)[1] * dims(yt)[2]; ++p) {
      for (int64_t oc = 0; oc < dims(yt)[3]; ++oc) {
        int64_t acc = bias(node, oc);
        taps(node, xt, kh, kw, p / dims(yt)[2], p % dims(yt)[2],
             [&](int64_t pixel, int64_t ky, int64_t kx) {
               if (depthwise) {
                 acc += (x[at(pixel + oc)] - zx) * (w[at((ky * kw + kx) * channels + oc)] - zw);
                 return;
               }
               const int64_t row = ((oc * kh + ky) * kw + kx) * channels;
               for (int64_t c = 0; c < channels; ++c) {
                 acc += (x[at(pixel + c)] - zx) * (w[at(row + c)] - zw);
               }
             });
        y.push_back(static_cast<uint8_t>(
            check::oracle_requantize(acc, m.multiplier, m.shift, zero(yt), 0, 255)));
      }
    }
  }

  void dense(const ForeignNode& node, std::vector<uint8_t>& y) {
    const int xt = node.inputs[0], wt = node.inputs[1], yt = node.outputs[0];
    const Scale m = scale_of(double{scale(xt) * scale(wt)} / double{scale(yt)});
    for (int64_t o = 0; o < dims(wt)[0]; ++o) {
      int64_t acc = bias(node, o);
      for (int64_t i = 0; i < dims(wt)[1]; ++i) {
        acc += (values_[at(xt)][at(i)] - zero(xt)) *
               (values_[at(wt)][at(o * dims(wt)[1] + i)] - zero(wt));
      }
      y.push_back(static_cast<uint8_t>(
          check::oracle_requantize(acc, m.multiplier, m.shift, zero(yt), 0, 255)));
    }
  }

  void pool(const ForeignNode& node, std::vector<uint8_t>& y) {
    const int xt = node.inputs[0], yt = node.outputs[0];
    for (int64_t p = 0; p < dims(yt)[1] * dims(yt)[2]; ++p) {
      for (int64_t c = 0; c < dims(yt)[3]; ++c) {
        int64_t best = 0, sum = 0, count = 0;
        taps(node, xt, node.attrs.get_int("filter_height"), node.attrs.get_int("filter_width"),
             p / dims(yt)[2], p % dims(yt)[2], [&](int64_t pixel, int64_t, int64_t) {
               const int64_t value = values_[at(xt)][at(pixel + c)];
               best = std::max(best, value);
               sum += value;
               ++count;
             });
        const bool max = node.op == "MAX_POOL_2D";
        y.push_back(static_cast<uint8_t>(max ? best : (sum + count / 2) / count));
      }
    }
  }

  void concat(const ForeignNode& node, std::vector<uint8_t>& y) {
    const Dims& out = dims(node.outputs[0]);
    for (int64_t p = 0; p < out[1] * out[2]; ++p) {
      for (const int t : node.inputs) {
        const auto begin = values_[at(t)].begin() + p * dims(t)[3];
        y.insert(y.end(), begin, begin + dims(t)[3]);
      }
    }
  }

  void add(const ForeignNode& node, std::vector<uint8_t>& y) {
    const int a = node.inputs[0], b = node.inputs[1], yt = node.outputs[0];
    const double twice = 2.0 * double{std::max(scale(a), scale(b))};
    const Scale ma = scale_of(scale(a) / twice), mb = scale_of(scale(b) / twice);
    const Scale my = scale_of(twice / (double(1 << 20) * double{scale(yt)}));
    const auto part = [](int64_t steps, const Scale& m) {
      return check::oracle_requantize(steps << 20, m.multiplier, m.shift, 0, INT32_MIN, INT32_MAX);
    };
    for (size_t i = 0; i < values_[at(a)].size(); ++i) {
      const int64_t sum =
          part(values_[at(a)][i] - zero(a), ma) + part(values_[at(b)][i] - zero(b), mb);
      y.push_back(static_cast<uint8_t>(
          check::oracle_requantize(sum, my.multiplier, my.shift, zero(yt), 0, 255)));
    }
  }

  const ForeignGraph& graph_;
  std::vector<std::vector<uint8_t>> values_;
};

// Noise over a slope, another picture for each seed.
Bytes picture(uint32_t seed) {
  Xorshift random{seed * 2654435761u + 1};
  const uint32_t noise = 1u << (2 + seed % 6);
  Bytes bytes;
  for (uint32_t i = 0; i < 224 * 224 * 3; ++i) {
    const uint32_t slope = (i / 672 + i % 672 / 3 * (seed % 3)) * 255 / 672 + 40 * seed;
    bytes.push_back(static_cast<std::byte>(slope + random.next() % noise));
  }
  return bytes;
}

Result<driver::Compilation> compiled(plan::OrderChoice order, bool parts) {
  driver::CompileOptions options;
  options.plan.order = order;
  options.plan.class_limit = plan::PlanClass::kPlain;
  if (!parts) options.disabled_passes.emplace_back(kReadParts);
  return driver::compile_file(*shared_folder() + kModel, options);
}

// Each step's output against the plain computation.
struct Layers {
  const std::map<std::string, std::vector<uint8_t>>* expected = nullptr;
  int equal = 0;

  static void look(void* user, size_t, const char*, const char* node,
                   const std::vector<std::span<const std::byte>>& outputs) {
    auto& self = *static_cast<Layers*>(user);
    const auto it = self.expected->find(node);
    if (it == self.expected->end() || it->second.empty()) return;
    ASSERT_EQ(outputs[0].size(), it->second.size()) << node;
    EXPECT_EQ(std::memcmp(outputs[0].data(), it->second.data(), it->second.size()), 0) << node;
    ++self.equal;
  }
};

TEST(SwiftNet, TheLeastPlanRunsBitExact) {
  if (!shared_folder()) return;
  const auto best = compiled(plan::OrderChoice::kBest, true);
  const auto joined_best = compiled(plan::OrderChoice::kBest, false);
  const auto given = compiled(plan::OrderChoice::kGiven, false);
  ASSERT_TRUE(best && joined_best && given);
  EXPECT_EQ(best->layout.arena_bytes, 200'704);
  EXPECT_TRUE(best->layout.proven_minimal);
  EXPECT_EQ(joined_best->layout.arena_bytes, 275'968);

  const Bytes nk = *write_nk(best->program);
  auto session = driver::Session::from_nk(nk, "best");
  auto plain = driver::Session::from_nk(*write_nk(given->program), "given");
  ASSERT_TRUE(session && plain);
  EXPECT_EQ(session->arena_bytes(), 200'704u);
  EXPECT_FALSE(driver::Session::from_nk(nk, "less", 200'703).has_value());

  std::vector<Bytes> inputs, outputs;
  Plain computation(best->foreign);
  for (uint32_t seed = 0; seed < 6; ++seed) {
    inputs.push_back(picture(seed));
    const auto& values = computation.run(inputs.back());
    std::map<std::string, std::vector<uint8_t>> expected;
    for (const ForeignNode& node : best->foreign.nodes) {
      expected[node.name] = values[static_cast<size_t>(node.outputs[0])];
    }
    Layers layers{&expected};
    for (auto* each : {&*session, &*plain}) {
      each->poison(static_cast<uint8_t>(0xA5 + seed));
      each->set_hook(Layers::look, &layers);
    }
    const auto got = session->run({inputs.back()});
    EXPECT_EQ(layers.equal, 67);  // every step but softmax
    const auto in_order = plain->run({inputs.back()});
    ASSERT_TRUE(got && in_order);
    EXPECT_EQ((*got)[0], (*in_order)[0]) << seed;
    outputs.push_back((*got)[0]);
  }
  EXPECT_EQ(run_emitted_c(best->program, work_folder("swiftnet"), inputs), outputs);
}

// The net up to its mean over the picture, whose 3,724 values tell more than two classes do.
TEST(SwiftNet, EmittedCodeGivesTheLastLayersBytes) {
  if (!shared_folder()) return;
  const auto made = compiled(plan::OrderChoice::kBest, true);
  ASSERT_TRUE(made);
  Graph cut = made->lowered;
  const auto mean = std::ranges::find(cut.nodes, "avg_pool2d", &Node::op);
  ASSERT_NE(mean, cut.nodes.end());
  cut.outputs = {mean->inputs[0]};
  const Graph graph = *optimise(cut, {});
  const Schedule schedule = *select(graph, *find_target("generic"));
  plan::PlanOptions options;
  options.class_limit = plan::PlanClass::kPlain;
  const plan::Layout layout = *plan::plan(driver::to_problem(schedule, 16), options);
  EXPECT_EQ(layout.arena_bytes, 200'704);
  const auto pool = std::ranges::find(made->foreign.nodes, "AVERAGE_POOL_2D", &ForeignNode::op);
  std::vector<Bytes> inputs, expected;
  Plain computation(made->foreign);
  for (uint32_t seed = 0; seed < 3; ++seed) {
    inputs.push_back(picture(seed));
    Bytes bytes;
    for (const uint8_t v : computation.run(inputs.back())[static_cast<size_t>(pool->inputs[0])]) {
      bytes.push_back(static_cast<std::byte>(v));
    }
    expected.push_back(std::move(bytes));
  }
  EXPECT_NE(expected[0], expected[1]);
  const Program program = driver::assemble(schedule, layout);
  EXPECT_EQ(run_emitted_c(program, work_folder("swiftnet_cut"), inputs), expected);
}

}  // namespace
}  // namespace netkit::test
