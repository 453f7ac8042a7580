// SPDX-License-Identifier: MIT
// depth_to_space and space_to_depth (NHWC), and SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND, which are
// pad, reshape, transpose and slice.
#include <array>

#include <fmt/format.h>

#include "ops/move/move_host.h"

namespace netkit {
namespace {

NK_PARAM_TABLE(kTable, nk_copy_params, NK_COPY_FIELDS);

// Both operators as one walk over (n, h, i, w, j, c): the space side and the depth side, i and j
// inside a block. Block and shapes are checked.
struct Sides {
  Dims dims, space, depth;  // extents; strides of the space tensor and of the depth tensor
};

Sides sides_of(const Dims& depth, int64_t block, bool crd) {
  const int64_t n = depth[0], h = depth[1], w = depth[2], c = depth[3] / (block * block);
  const Dims space = row_major_strides({n, h * block, w * block, c});
  const Dims d = row_major_strides(depth);
  const int64_t row = crd ? block : block * c, column = crd ? 1 : c;
  return {{n, h, block, w, block, c},
          {space[0], space[1] * block, space[1], space[2] * block, space[2], space[3]},
          {d[0], d[1], row, d[2], column, crd ? block * block : 1}};
}

Result<int64_t> block_of(const Node& node, const TensorType& x) {
  const int64_t block = node.attrs.get_int("block", 0);
  if (block >= 1 && block <= 1 << 15 && x.dims.size() == 4 && x.quant.scale.size() <= 1) {
    return block;
  }
  return bad_input(fmt::format("block {} on shape {}", block, dims_text(x.dims)), place_of(node));
}

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, moved_input(graph, node));
  NK_ASSIGN(const int64_t block, block_of(node, *x));
  TensorType y = *x;
  const bool to_space = node.op == "depth_to_space";
  const bool fits = to_space ? x->dims[3] % (block * block) == 0
                             : x->dims[1] % block == 0 && x->dims[2] % block == 0;
  if (!fits) {
    return bad_input(fmt::format("block {} does not divide shape {}", block, dims_text(x->dims)),
                     place_of(node));
  }
  y.dims[1] = to_space ? x->dims[1] * block : x->dims[1] / block;
  y.dims[2] = to_space ? x->dims[2] * block : x->dims[2] / block;
  y.dims[3] = to_space ? x->dims[3] / (block * block) : x->dims[3] * block * block;
  return std::vector{std::move(y)};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  const bool to_space = node.op == "depth_to_space";
  const Sides sides = sides_of(to_space ? x.dims : y[0].dims, node.attrs.get_int("block"),
                               node.attrs.get_string("mode", "DCR") == "CRD");
  return copy_step({sides.dims, {to_space ? sides.depth : sides.space,
                                 to_space ? sides.space : sides.depth}},
                   0, x.dtype, place_of(node));
}

Result<void> lower_space(const ForeignNode& node, LowerContext& context) {
  const bool onnx = context.format() == SourceFormat::kOnnx;
  const bool to_space = node.op == "DepthToSpace" || node.op == "DEPTH_TO_SPACE";
  NK_ASSIGN(TensorId x, need_foreign_input(context, node, 0));
  if (context.type(x).dims.size() != 4) {
    return bad_input(fmt::format("shape {} is not of rank 4", dims_text(context.type(x).dims)),
                     place_of(node));
  }
  Attrs attrs;
  attrs.set("block", node.attrs.get_int(onnx ? "blocksize" : "block_size", 0));
  if (to_space) attrs.set("mode", node.attrs.get_string("mode", "DCR"));
  if (onnx) {
    NK_ASSIGN(x, context.transpose(x, {0, 2, 3, 1}));
  }
  NK_ASSIGN(TensorId y, context.add(to_space ? "depth_to_space" : "space_to_depth", {x},
                                    std::move(attrs), declared_type(context, node, 0)));
  if (onnx) {
    NK_ASSIGN(y, context.transpose(y, {0, 3, 1, 2}));
  }
  return context.bind(node, 0, y);
}

// [b, s0, s1, rest] with blocks k0, k1 and paddings or crops per spatial axis.
struct Batches {
  Dims block, edges;  // edges: before and after of each spatial axis
};

Result<Batches> batches_of(const ForeignNode& node, const LowerContext& context, size_t rank) {
  Batches out;
  NK_ASSIGN(out.block, constant_ints(context, node, 1, "block shape"));
  NK_ASSIGN(out.edges, constant_ints(context, node, 2, "padding or crop list"));
  bool valid = !out.block.empty() && rank > out.block.size() &&
               rank + out.block.size() <= NK_MAX_RANK && out.edges.size() == 2 * out.block.size();
  for (const int64_t block : out.block) valid = valid && block >= 1 && block <= 1 << 15;
  for (const int64_t edge : out.edges) valid = valid && edge >= 0 && edge <= INT32_MAX;
  if (!valid) return bad_input("block shape, edges and input do not fit", place_of(node));
  return out;
}

// pad, split every spatial axis into (outer, block), blocks to the front, merged into the batch.
Result<void> lower_space_to_batch(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(TensorId x, need_foreign_input(context, node, 0));
  const size_t rank = context.type(x).dims.size();
  NK_ASSIGN(const Batches b, batches_of(node, context, rank));
  const size_t m = b.block.size();
  Dims before(rank, 0), after(rank, 0);
  for (size_t i = 0; i < m; ++i) {
    before[i + 1] = b.edges[2 * i];
    after[i + 1] = b.edges[2 * i + 1];
  }
  Attrs pad;
  pad.set("before", before);
  pad.set("after", after);
  NK_ASSIGN(x, context.add("pad", {x}, std::move(pad)));
  const Dims dims = context.type(x).dims;
  Dims split{dims[0]}, perm, shape{dims[0]};
  for (size_t i = 0; i < m; ++i) {
    if (dims[i + 1] % b.block[i] != 0) {
      return bad_input(fmt::format("block {} does not divide padded axis {}", b.block[i],
                                   dims[i + 1]),
                       place_of(node));
    }
    split.insert(split.end(), {dims[i + 1] / b.block[i], b.block[i]});
    perm.push_back(static_cast<int64_t>(2 * i + 2));
    shape[0] *= b.block[i];
    shape.push_back(dims[i + 1] / b.block[i]);
  }
  perm.push_back(0);
  for (size_t i = 0; i < m; ++i) perm.push_back(static_cast<int64_t>(2 * i + 1));
  for (size_t i = m + 1; i < rank; ++i) {
    split.push_back(dims[i]);
    perm.push_back(static_cast<int64_t>(i + m));
    shape.push_back(dims[i]);
  }
  NK_ASSIGN(x, reshaped(context, x, std::move(split)));
  NK_ASSIGN(x, context.transpose(x, std::move(perm)));
  NK_ASSIGN(x, reshaped(context, x, std::move(shape)));
  return context.bind(node, 0, x);
}

// The way back: blocks out of the batch, each behind its spatial axis, merged, cropped.
Result<void> lower_batch_to_space(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(TensorId x, need_foreign_input(context, node, 0));
  const Dims dims = context.type(x).dims;
  const size_t rank = dims.size();
  NK_ASSIGN(const Batches b, batches_of(node, context, rank));
  const size_t m = b.block.size();
  const int64_t blocks = product_of(b.block, 0, m);
  if (dims[0] % blocks != 0) {
    return bad_input(fmt::format("{} blocks do not divide batch {}", blocks, dims[0]),
                     place_of(node));
  }
  Dims split = b.block, shape{dims[0] / blocks}, perm{static_cast<int64_t>(m)};
  split.push_back(dims[0] / blocks);
  for (size_t i = 0; i < m; ++i) {
    perm.insert(perm.end(), {static_cast<int64_t>(m + 1 + i), static_cast<int64_t>(i)});
    shape.push_back(dims[i + 1] * b.block[i]);
  }
  for (size_t i = 1; i < rank; ++i) {
    split.push_back(dims[i]);
    if (i <= m) continue;
    perm.push_back(static_cast<int64_t>(m + i));
    shape.push_back(dims[i]);
  }
  Dims starts(rank, 0), steps(rank, 1), sizes = shape;
  for (size_t i = 0; i < m; ++i) {
    starts[i + 1] = b.edges[2 * i];
    sizes[i + 1] -= b.edges[2 * i] + b.edges[2 * i + 1];
    if (sizes[i + 1] < 0) return bad_input("the crops leave nothing", place_of(node));
  }
  const bool cropped = sizes != shape;
  NK_ASSIGN(x, reshaped(context, x, std::move(split)));
  NK_ASSIGN(x, context.transpose(x, std::move(perm)));
  NK_ASSIGN(x, reshaped(context, x, std::move(shape)));
  if (cropped) {
    Attrs attrs;
    attrs.set("starts", std::move(starts));
    attrs.set("steps", std::move(steps));
    attrs.set("sizes", std::move(sizes));
    NK_ASSIGN(x, context.add("slice", {x}, std::move(attrs)));
  }
  return context.bind(node, 0, x);
}

constexpr ForeignRule kDepthToSpaceRules[] = {
    {SourceFormat::kOnnx, "DepthToSpace", "", lower_space},
    {SourceFormat::kTflite, "DEPTH_TO_SPACE", "", lower_space},
    {SourceFormat::kTflite, "BATCH_TO_SPACE_ND", "", lower_batch_to_space}};
constexpr ForeignRule kSpaceToDepthRules[] = {
    {SourceFormat::kOnnx, "SpaceToDepth", "", lower_space},
    {SourceFormat::kTflite, "SPACE_TO_DEPTH", "", lower_space},
    {SourceFormat::kTflite, "SPACE_TO_BATCH_ND", "", lower_space_to_batch}};

}  // namespace

extern const OpDef nk_op_depth_to_space =
    with_quant({
                "depth_to_space", kDepthToSpaceRules, kTable::fields, kTable::bytes, infer,
                make_params,      one_arg,            no_macs,        false,         false,
                "nk_copy_params"},
               {QuantRule::kSame});
extern const OpDef nk_op_space_to_depth =
    with_quant({
                "space_to_depth", kSpaceToDepthRules, kTable::fields, kTable::bytes, infer,
                make_params,      one_arg,            no_macs,        false,         false,
                "nk_copy_params"},
               {QuantRule::kSame});

}  // namespace netkit
