// SPDX-License-Identifier: MIT
// How dwconv2d's Helium row wants its taps packed. Host only.
#pragma once

#include "ops/common/arm/dsp_pack.h"
#include "ops/dwconv2d/arm/dwconv2d_mve.h"

namespace netkit {

inline TapColumns tap_columns_of(const nk_dwconv2d_params& p) {
  const nk_mve_planar m = nk_mve_planar_of(&p);
  const bool upright = nk_mve_is_upright(&p) != 0;
  return {upright ? m.kernel_w : m.kernel_h, m.height, upright};
}

}  // namespace netkit
