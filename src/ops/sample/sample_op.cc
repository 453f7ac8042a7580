// SPDX-License-Identifier: MIT
// The host face of grid_sample and roi_align (sample.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/common/host/chain.h"
#include "ops/common/host/nd_layout.h"
#include "ops/sample/sample.h"

namespace netkit {

void grid_sample_modes(const nk_grid_sample_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
}
void roi_align_modes(const nk_roi_align_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
}

namespace {

NK_PARAM_TABLE(kGrid, nk_grid_sample_params, NK_GRID_SAMPLE_FIELDS);
NK_PARAM_TABLE(kRoi, nk_roi_align_params, NK_ROI_ALIGN_FIELDS);

using Word = std::pair<std::string_view, int32_t>;
// ONNX opset 16 has other names for the ways of opset 20.
constexpr Word kModes[] = {{"linear", NK_SAMPLE_LINEAR},
                           {"bilinear", NK_SAMPLE_LINEAR},
                           {"nearest", NK_SAMPLE_NEAREST},
                           {"cubic", NK_SAMPLE_CUBIC},
                           {"bicubic", NK_SAMPLE_CUBIC}};
constexpr Word kPaddings[] = {
    {"zeros", NK_SAMPLE_ZEROS}, {"border", NK_SAMPLE_BORDER}, {"reflection", NK_SAMPLE_REFLECTION}};

Result<int32_t> number_of(const Node& node, const char* attribute, std::span<const Word> words) {
  const std::string word = node.attrs.get_string(attribute, std::string(words[0].first));
  const auto row = std::ranges::find(words, word, &Word::first);
  if (row != words.end()) return row->second;
  return bad_input(fmt::format("{} '{}' is not supported", attribute, word), place_of(node));
}

// An image that is not empty and of float32.
Result<const TensorType*> image_of(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, 4));
  NK_TRY(check_sizes(std::array{x}, place_of(node)));
  if (x->dims[1] >= 1 && x->dims[2] >= 1) return x;
  return bad_input(fmt::format("the image has shape {}", dims_text(x->dims)), place_of(node));
}

Result<std::vector<TensorType>> infer_grid(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, image_of(graph, node));
  NK_ASSIGN(const TensorType* grid, need_input(graph, node, 1, 3));
  NK_TRY(check_sizes(std::array{grid}, place_of(node)));
  if (grid->dims[0] != x->dims[0] || grid->dims[2] != 2 || grid->dtype != x->dtype) {
    return bad_input(fmt::format("grid {} does not fit image {}", type_text(*grid), type_text(*x)),
                     place_of(node));
  }
  NK_TRY(number_of(node, "mode", kModes));
  NK_TRY(number_of(node, "padding", kPaddings));
  TensorType y{x->dtype, {x->dims[0], grid->dims[1], x->dims[3]}, {}};
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, place_of(node)));
  return std::vector{std::move(y)};
}

template <typename Params>
void set_image(const Dims& dims, Params& p) {
  p.batch = static_cast<int32_t>(dims[0]);
  p.in_h = static_cast<int32_t>(dims[1]);
  p.in_w = static_cast<int32_t>(dims[2]);
  p.channels = static_cast<int32_t>(dims[3]);
}

Result<StepParams> grid_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer_grid(graph, node));
  nk_grid_sample_params p{};
  set_image(input_type(graph, node, 0)->dims, p);
  p.pixels = static_cast<int32_t>(y[0].dims[1]);
  NK_ASSIGN(p.way, number_of(node, "mode", kModes));
  NK_ASSIGN(p.padding, number_of(node, "padding", kPaddings));
  p.align_corners = node.attrs.get_int("align_corners") != 0 ? 1 : 0;
  return StepParams{bytes_of(p), std::string(signature_of(y[0].dtype))};
}

Result<std::vector<TensorType>> infer_roi(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, image_of(graph, node));
  NK_ASSIGN(const TensorType* rois, need_input(graph, node, 1, 2));
  NK_ASSIGN(const TensorType* indices, need_input(graph, node, 2, 1));
  NK_TRY(check_sizes(std::array{rois}, where));
  if (rois->dims[1] != 4 || rois->dims[0] != indices->dims[0] || rois->dtype != x->dtype ||
      indices->dtype != NK_INT64 || x->dims[0] < 1) {
    return bad_input(fmt::format("regions {} of images {} in {}", type_text(*rois),
                                 type_text(*indices), type_text(*x)),
                     where);
  }
  NK_ASSIGN(const int32_t h,
            checked_int32(node.attrs.get_int("out_h", 1), 1, INT32_MAX, "out_h", where));
  NK_ASSIGN(const int32_t w,
            checked_int32(node.attrs.get_int("out_w", 1), 1, INT32_MAX, "out_w", where));
  NK_TRY(checked_int32(node.attrs.get_int("samples"), 1, 64, "samples", where));
  TensorType y{x->dtype, {rois->dims[0], h, w, x->dims[3]}, {}};
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  return std::vector{std::move(y)};
}

Result<StepParams> roi_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer_roi(graph, node));
  nk_roi_align_params p{};
  set_image(input_type(graph, node, 0)->dims, p);
  p.count = static_cast<int32_t>(y[0].dims[0]);
  p.out_h = static_cast<int32_t>(y[0].dims[1]);
  p.out_w = static_cast<int32_t>(y[0].dims[2]);
  p.samples = static_cast<int32_t>(node.attrs.get_int("samples"));
  p.half_pixel = node.attrs.get_int("half_pixel") != 0 ? 1 : 0;
  p.scale = static_cast<float>(node.attrs.get_float("scale", 1.0));
  return StepParams{bytes_of(p), std::string(signature_of(y[0].dtype))};
}

Result<std::vector<StepArg>> grid_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "image"), tensor_arg(node, 1, "grid")};
}

Result<std::vector<StepArg>> roi_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "image"), tensor_arg(node, 1, "regions"),
                     tensor_arg(node, 2, "indices")};
}

uint64_t no_macs(const Graph&, const Node&) {
  return 0;
}

Result<void> lower_grid_sample(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId grid, need_foreign_input(context, node, 1));
  const Dims image = context.type(x).dims, places = context.type(grid).dims;
  if (image.size() != 4 || places.size() != 4 || places[3] != 2) {
    return bad_input(fmt::format("a grid {} on an image {} is not supported", dims_text(places),
                                 dims_text(image)),
                     place_of(node));
  }
  NK_ASSIGN(const int64_t pixels, element_count(std::array{places[1], places[2]}));
  Attrs attrs;
  attrs.set("mode", node.attrs.get_string("mode", "linear"));
  attrs.set("padding", node.attrs.get_string("padding_mode", "zeros"));
  attrs.set("align_corners", node.attrs.get_int("align_corners", 0));
  Chain chain(context);
  TensorId y =
      chain.add("grid_sample",
                {chain.transpose(x, {0, 2, 3, 1}), chain.reshape(grid, {places[0], pixels, 2})},
                std::move(attrs));
  y = chain.reshape(y, {image[0], places[1], places[2], image[1]});
  y = chain.transpose(y, {0, 3, 1, 2});
  if (chain.error()) return std::unexpected(*chain.error());
  return context.bind(node, 0, y);
}

// Opset 10 has regions of whole pixels only.
Result<void> lower_roi_align(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId rois, need_foreign_input(context, node, 1));
  NK_ASSIGN(const TensorId indices, need_foreign_input(context, node, 2));
  const std::string way = node.attrs.get_string(
      "coordinate_transformation_mode", node.version < 16 ? "output_half_pixel" : "half_pixel");
  if (way != "half_pixel" && way != "output_half_pixel") {
    return bad_input(fmt::format("coordinates '{}' are not supported", way), where);
  }
  if (node.attrs.get_string("mode", "avg") != "avg") {
    return bad_input("other results than the mean are not supported", where);
  }
  if (node.attrs.get_int("sampling_ratio", 0) == 0) {
    return bad_input("samples as many as a region asks for are not supported", where,
                     "set sampling_ratio");
  }
  if (context.type(x).dims.size() != 4) {
    return bad_input(fmt::format("the image has shape {}", dims_text(context.type(x).dims)), where);
  }
  Attrs attrs;
  attrs.set("out_h", node.attrs.get_int("output_height", 1));
  attrs.set("out_w", node.attrs.get_int("output_width", 1));
  attrs.set("samples", node.attrs.get_int("sampling_ratio"));
  attrs.set("half_pixel", int64_t{way == "half_pixel" ? 1 : 0});
  attrs.set("scale", node.attrs.get_float("spatial_scale", 1.0));
  Chain chain(context);
  TensorId y =
      chain.add("roi_align", {chain.transpose(x, {0, 2, 3, 1}), rois, indices}, std::move(attrs));
  y = chain.transpose(y, {0, 3, 1, 2});
  if (chain.error()) return std::unexpected(*chain.error());
  return context.bind(node, 0, y);
}

constexpr ForeignRule kGridRules[] = {{SourceFormat::kOnnx, "GridSample", "", lower_grid_sample}};
constexpr ForeignRule kRoiRules[] = {{SourceFormat::kOnnx, "RoiAlign", "", lower_roi_align}};

}  // namespace

extern const OpDef nk_op_grid_sample = {"grid_sample", kGridRules,  kGrid::fields, kGrid::bytes,
                                        infer_grid,    grid_params, grid_args,     no_macs};
extern const OpDef nk_op_roi_align = {"roi_align", kRoiRules,  kRoi::fields, kRoi::bytes,
                                      infer_roi,   roi_params, roi_args,     no_macs};

}  // namespace netkit
