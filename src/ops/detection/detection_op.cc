// SPDX-License-Identifier: MIT
// The host face of detection_postprocess (detection.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/common/flex/flex_options.h"
#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_quant.h"
#include "ops/detection/detection.h"

namespace netkit {

void detection_postprocess_modes(const nk_detection_postprocess_params* p,
                                 std::vector<KernelMode>& out) {
  const int64_t floats = int64_t{p->boxes} * NK_DETECTION_SCRATCH_PER_BOX;
  out.push_back({0, floats * static_cast<int64_t>(sizeof(float)), {}});
}

namespace {

NK_PARAM_TABLE(kTable, nk_detection_postprocess_params, NK_DETECTION_POSTPROCESS_FIELDS);
using Params = nk_detection_postprocess_params;

constexpr int64_t kMany = int64_t{1} << 20;
constexpr int64_t kPerClass = 100;  // where the options do not say
constexpr std::array<const char*, 4> kUnits = {"y_scale", "x_scale", "h_scale", "w_scale"};

// Attributes by our names and those of the options.
constexpr std::pair<const char*, const char*> kNeededCounts[] = {
    {"num_classes", "num_classes"},
    {"max_detections", "max_detections"},
    {"max_classes", "max_classes_per_detection"}};
constexpr std::pair<const char*, const char*> kThresholds[] = {
    {"score_threshold", "nms_score_threshold"}, {"iou_threshold", "nms_iou_threshold"}};

struct Count {
  const char* name;
  int32_t Params::* field;
};
constexpr Count kCounts[] = {{"num_classes", &Params::num_classes},
                             {"max_detections", &Params::max_detections},
                             {"max_classes", &Params::max_classes},
                             {"detections_per_class", &Params::per_class}};

Result<void> set_input(const Graph& graph, const Node& node, size_t i, Params& p) {
  static constexpr std::array<const char*, 3> kNames = {"the boxes", "the scores", "the anchors"};
  const TensorType& type = *input_type(graph, node, i);
  p.scale[i] = 1.0f;
  if (type.dtype == NK_FLOAT32) {
    p.kind[i] = NK_DETECTION_F32;
    return {};
  }
  if (type.dtype != NK_UINT8 && type.dtype != NK_INT8) {
    return bad_input(fmt::format("{} are of type {}", kNames[i], name_of(type.dtype)),
                     place_of(node), "float32, uint8 and int8 are supported");
  }
  p.kind[i] = type.dtype == NK_UINT8 ? NK_DETECTION_U8 : NK_DETECTION_S8;
  NK_ASSIGN(const TensorQuant quant, tensor_quant(type, kNames[i], place_of(node)));
  p.scale[i] = quant.scale;
  NK_ASSIGN(p.zero_point[i],
            checked_int32(quant.zero_point, -128, 255, "a zero point", place_of(node)));
  return {};
}

Result<Params> params_of(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* boxes, need_input(graph, node, 0, 3));
  NK_ASSIGN(const TensorType* scores, need_input(graph, node, 1, 3));
  NK_ASSIGN(const TensorType* anchors, need_input(graph, node, 2, 2));
  NK_TRY(check_sizes(std::array{boxes, scores, anchors}, where));
  const int64_t n = boxes->dims[1];
  if (n < 1 || boxes->dims[0] != 1 || boxes->dims[2] < 4 || scores->dims[0] != 1 ||
      scores->dims[1] != n || anchors->dims != Dims{n, 4}) {
    return bad_input(
        fmt::format("boxes {}, scores {} and anchors {} do not fit each other",
                    dims_text(boxes->dims), dims_text(scores->dims), dims_text(anchors->dims)),
        where);
  }
  Params p{};
  p.boxes = static_cast<int32_t>(n);
  p.coords = static_cast<int32_t>(boxes->dims[2]);
  p.classes = static_cast<int32_t>(scores->dims[2]);
  for (const Count& count : kCounts) {
    NK_ASSIGN(p.*count.field,
              checked_int32(node.attrs.get_int(count.name), 1, kMany, count.name, where));
  }
  if (p.classes - p.num_classes < 0 || p.classes - p.num_classes > 1) {
    return bad_input(
        fmt::format("scores of {} classes where {} are stated", p.classes, p.num_classes), where);
  }
  p.per_class = std::min(p.per_class, p.boxes);
  p.regular = node.attrs.get_int("regular") != 0 ? 1 : 0;
  for (size_t i = 0; i < 3; ++i) NK_TRY(set_input(graph, node, i, p));
  for (size_t i = 0; i < kUnits.size(); ++i) {
    p.unit[i] = static_cast<float>(node.attrs.get_float(kUnits[i], 1.0));
    if (!(p.unit[i] > 0.0f)) return bad_input(fmt::format("{} is not above 0", kUnits[i]), where);
  }
  p.score_threshold = static_cast<float>(node.attrs.get_float("score_threshold"));
  p.iou_threshold = static_cast<float>(node.attrs.get_float("iou_threshold"));
  if (!(p.iou_threshold > 0.0f) || p.iou_threshold > 1.0f) {
    return bad_input(fmt::format("iou_threshold {} is not in (0, 1]", p.iou_threshold), where);
  }
  return p;
}

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  NK_ASSIGN(const Params p, params_of(graph, node));
  const int64_t places = int64_t{p.max_detections} * p.max_classes;
  std::vector<TensorType> types{{NK_FLOAT32, {1, places, 4}, {}},
                                {NK_FLOAT32, {1, places}, {}},
                                {NK_FLOAT32, {1, places}, {}},
                                {NK_FLOAT32, {1}, {}}};
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&types[0]}, place_of(node)));
  return types;
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const Params p, params_of(graph, node));
  return StepParams{bytes_of(p), "any"};
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "boxes"), tensor_arg(node, 1, "scores"),
                     tensor_arg(node, 2, "anchors")};
}

uint64_t no_macs(const Graph&, const Node&) {
  return 0;
}

Result<Attrs> attrs_of(const ForeignNode& node) {
  NK_ASSIGN(const Attrs options, flex_options(node));
  Attrs attrs;
  for (const auto& [ours, theirs] : kNeededCounts) {
    NK_ASSIGN(const int32_t value, flex_int(options, theirs, 1, kMany, node));
    attrs.set(ours, int64_t{value});
  }
  int32_t per_class = kPerClass;
  if (options.has("detections_per_class")) {
    NK_ASSIGN(per_class, flex_int(options, "detections_per_class", 1, kMany, node));
  }
  attrs.set("detections_per_class", int64_t{per_class});
  attrs.set("regular", int64_t{options.get_int("use_regular_nms") != 0});
  for (const auto& [ours, theirs] : kThresholds) {
    NK_ASSIGN(const float value, flex_real(options, theirs, node));
    attrs.set(ours, double{value});
  }
  for (const char* unit : kUnits) {
    NK_ASSIGN(const float value, flex_real(options, unit, node));
    attrs.set(unit, double{value});
  }
  return attrs;
}

Result<void> lower(const ForeignNode& node, LowerContext& context) {
  std::vector<TensorId> inputs;
  for (size_t i = 0; i < 3; ++i) {
    NK_ASSIGN(const TensorId input, need_foreign_input(context, node, i));
    inputs.push_back(input);
  }
  NK_ASSIGN(Attrs attrs, attrs_of(node));
  NK_ASSIGN(const std::vector<TensorId> made,
            context.add_multi("detection_postprocess", std::move(inputs), std::move(attrs), {}));
  for (size_t i = 0; i < made.size(); ++i) NK_TRY(context.bind(node, i, made[i]));
  return {};
}

constexpr ForeignRule kRules[] = {
    {SourceFormat::kTflite, "CUSTOM:TFLite_Detection_PostProcess", "", lower}};

}  // namespace

extern const OpDef nk_op_detection_postprocess = {"detection_postprocess",
                                                  kRules,
                                                  kTable::fields,
                                                  kTable::bytes,
                                                  infer,
                                                  make_params,
                                                  make_args,
                                                  no_macs};

}  // namespace netkit
