// SPDX-License-Identifier: MIT
// How far an output may reach into the input of a sliding-window kernel, exactly, for the walks of
// spatial.h. Host only.
//
// Forward walk: pixels and channels from first to last. After the element at output byte e has been
// written, the kernel still reads input bytes from L(e) on; nothing is lost as long as
// output + e_end <= input + L(e), so the distance is the greatest e_end - L(e). Backward is the
// mirror image. Whole tensors only (one band, rings as high as the tensors). No tensor is
// too large: nothing walks over pixels. A window that leaves the input by more than 2^16 phases of
// its dilation gets a bound of its distance.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/op_def.h"
#include "ops/common/spatial.h"

namespace netkit {

// Input that an output element reads from each pixel of its window.
enum class Reads {
  kAllChannels,  // conv2d: every channel (or, if grouped, at most that)
  kOwnChannel,   // dwconv2d, pool2d: channel c / (out_c / in_c) for output channel c
  kPixelFirst,   // the whole input pixel is read before the first write (scratch copy, 1x1)
};

struct Distances {
  int64_t forward_bytes = 0, backward_bytes = 0;  // 0 or more
};
Distances window_distances(const nk_spatial& s, Reads reads, int64_t elem_bytes);

// The plain mode, then forward and backward, then (1x1 without padding, all channels read) both
// with a scratch pixel. A mode whose distance leaves nothing to share is left out.
void window_modes(const nk_spatial& s, Reads reads, int64_t elem_bytes,
                  std::vector<KernelMode>& out);

// Of a transposed convolution (transposed.h), all channels read.
Distances gather_distances(const nk_spatial& s, int64_t elem_bytes);

// Plain, forward and backward of a transposed convolution (transposed.h), all channels read.
void gather_modes(const nk_spatial& s, int64_t elem_bytes, std::vector<KernelMode>& out);

// Plain, forward and backward of an int8 kernel that copies windows to scratch before it writes
// their pixels: the distances of kPixelFirst at the price of `scratch_bytes` in each.
void buffered_window_modes(const nk_spatial& s, int64_t scratch_bytes,
                           std::vector<KernelMode>& out);

// window_modes of an input in parts of part_c channels: the output may lie over any one of them.
// `copies_pixel`: the modes with a scratch pixel, which holds all parts, are among them. Safe for
// operators that read all channels of a pixel, or fewer.
void parts_modes(const nk_spatial& s, std::span<const int32_t> part_c, bool copies_pixel,
                 int64_t elem_bytes, std::vector<KernelMode>& out);

// Adds NK_MODE_CHANNEL_RING, in place at the price of a few rows of one channel, where the output
// has as many channels as the input and never grows past the rows still to be read.
void add_channel_ring_mode(const nk_spatial& s, int64_t elem_bytes, std::vector<KernelMode>& out);

}  // namespace netkit
