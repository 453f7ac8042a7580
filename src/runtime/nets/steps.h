// SPDX-License-Identifier: MIT
// What planning and running both know of a step.
#pragma once

#include "ops/common/spatial.h"
#include "runtime/nets/net.h"

namespace netkit::nets {

// Of a step with a window.
nk_spatial spatial_of(const Net& net, const Step& step);

inline bool has_window(const Step& step) {
  return step.op == Op::kConv || step.op == Op::kDepthwise || step.op == Op::kMaxPool ||
         step.op == Op::kAvgPool;
}

// Is the last softmax left out? The output is then what it would read.
inline bool omitted_softmax(const Net& net) {
  return net.omits_softmax && net.step_count > 0 &&
         net.steps[net.step_count - 1].op == Op::kSoftmax;
}
inline uint16_t output_of(const Net& net) {
  return omitted_softmax(net) ? net.steps[net.step_count - 1].in[0] : net.output;
}

}  // namespace netkit::nets
