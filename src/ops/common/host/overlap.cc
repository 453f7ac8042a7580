// SPDX-License-Identifier: MIT
// Exact overlap distances of sliding-window kernels (overlap.h).
#include "ops/common/host/overlap.h"

#include <algorithm>

#include "ops/common/transposed.h"

namespace netkit {
namespace {

constexpr int64_t kNothing = int64_t{1} << 60;  // nothing left to read: beyond every tensor

// First and one past the last input pixel of a window; empty where it lies in the padding.
struct Extent {
  int64_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
};

Extent window_extent(const nk_spatial& s, int32_t i) {
  const nk_pixel pixel = nk_pixel_at(&s, i);
  if (pixel.ky0 == pixel.ky1 || pixel.kx0 == pixel.kx1) return {};
  const size_t first = nk_tap_index(&s, &pixel, pixel.ky0, pixel.kx0);
  const size_t last = nk_tap_index(&s, &pixel, pixel.ky1 - 1, pixel.kx1 - 1);
  return {static_cast<int64_t>(first), static_cast<int64_t>(last) + 1};
}

Extent gathered_extent(const nk_spatial& s, int32_t i) {
  const nk_gather_pixel pixel = nk_gather_pixel_at(&s, i);
  if (pixel.y.count == 0 || pixel.x.count == 0) return {};
  const size_t last = nk_gathered_index(&s, &pixel, pixel.y.count - 1, pixel.x.count - 1);
  return {static_cast<int64_t>(nk_gathered_index(&s, &pixel, 0, 0)),
          static_cast<int64_t>(last) + 1};
}

// What the i-th output pixel of the walk reads.
using ExtentOf = Extent (*)(const nk_spatial& s, int32_t i);

// The two walks differ in signs only: along the walk, `reach` is how far the writes have come and
// `need` where the remaining input begins, both counted in elements in the walk's direction.
class Walk {
 public:
  Walk(const nk_spatial& s, ExtentOf extent_of, Reads reads, bool backward)
      : s_(s), extent_of_(extent_of), reads_(reads), backward_(backward) {
    s_.mode = backward ? NK_MODE_BACKWARD : NK_MODE_FORWARD;
    in_elems_ = int64_t{s.batch} * s.in_h * s.in_w * s.in_c;
  }

  // Greatest reach - need over all writes, at least 0. Pixels are visited from the last to the
  // first of the walk, so that what later pixels need is known.
  int64_t distance() const {
    int64_t worst = 0;
    int64_t later = kNothing;  // where the input of all later pixels begins
    for (int64_t i = nk_pixel_count(&s_) - 1; i >= 0; --i) {
      const int64_t own = begin_of(extent_of_(s_, static_cast<int32_t>(i)));
      const int64_t written = i * s_.out_c;
      worst = std::max(worst, written + s_.out_c - later);
      worst = std::max(worst, written + inside_pixel(own, later));
      later = std::min(later, own);
    }
    return worst;
  }

 private:
  // Where a window's input begins, in elements in the walk's direction.
  int64_t begin_of(const Extent& e) const {
    if (e.empty()) return kNothing;
    return backward_ ? in_elems_ - e.end * s_.in_c : e.begin * s_.in_c;
  }

  // Greatest (channels written - need) while channels of the same pixel are still to come.
  int64_t inside_pixel(int64_t own, int64_t later) const {
    const int64_t channels = s_.out_c - 1;  // written, at most
    if (channels == 0 || reads_ == Reads::kPixelFirst) return -kNothing;
    if (reads_ == Reads::kAllChannels) return channels - std::min(own, later);
    // Output channel k (in walk order) reads input channel k / multiplier (in walk order).
    const int64_t multiplier = std::max(1, s_.out_c / std::max(1, s_.in_c));
    return channels - std::min(own + channels / multiplier, later);
  }

  nk_spatial s_;
  ExtentOf extent_of_;
  Reads reads_;
  bool backward_;
  int64_t in_elems_;
};

void add_mode(int id, int64_t scratch_bytes, std::optional<int64_t> forward,
              std::optional<int64_t> backward, int64_t out_bytes, std::vector<KernelMode>& out) {
  if (forward.value_or(0) >= out_bytes || backward.value_or(0) >= out_bytes) return;
  out.push_back({id, scratch_bytes, {{0, 0, forward, backward}}});
}

}  // namespace

Distances window_distances(const nk_spatial& s, Reads reads, int64_t elem_bytes) {
  return {Walk(s, window_extent, reads, false).distance() * elem_bytes,
          Walk(s, window_extent, reads, true).distance() * elem_bytes};
}

void window_modes(const nk_spatial& s, Reads reads, int64_t elem_bytes,
                  std::vector<KernelMode>& out) {
  const int64_t out_bytes = int64_t{s.batch} * s.out_h * s.out_w * s.out_c * elem_bytes;
  out.push_back({NK_MODE_PLAIN, 0, {}});
  const Distances d = window_distances(s, reads, elem_bytes);
  add_mode(NK_MODE_FORWARD, 0, d.forward_bytes, std::nullopt, out_bytes, out);
  add_mode(NK_MODE_BACKWARD, 0, std::nullopt, d.backward_bytes, out_bytes, out);
  const bool one_pixel = s.kernel_h == 1 && s.kernel_w == 1 && s.out_c > 1 &&
                         (s.out_h - 1) * s.stride_h < s.in_h && s.pad_top == 0 && s.pad_left == 0 &&
                         (s.out_w - 1) * s.stride_w < s.in_w;
  if (reads != Reads::kAllChannels || !one_pixel) return;
  const int64_t pixel_bytes = s.in_c * elem_bytes;
  const Distances p = window_distances(s, Reads::kPixelFirst, elem_bytes);
  if (p.forward_bytes < d.forward_bytes) {
    add_mode(NK_MODE_FORWARD_PIXEL, pixel_bytes, p.forward_bytes, std::nullopt, out_bytes, out);
  }
  if (p.backward_bytes < d.backward_bytes) {
    add_mode(NK_MODE_BACKWARD_PIXEL, pixel_bytes, std::nullopt, p.backward_bytes, out_bytes, out);
  }
}

void gather_modes(const nk_spatial& s, int64_t elem_bytes, std::vector<KernelMode>& out) {
  const int64_t out_bytes = int64_t{s.batch} * s.out_h * s.out_w * s.out_c * elem_bytes;
  const Walk forward(s, gathered_extent, Reads::kAllChannels, false);
  const Walk backward(s, gathered_extent, Reads::kAllChannels, true);
  out.push_back({NK_MODE_PLAIN, 0, {}});
  add_mode(NK_MODE_FORWARD, 0, forward.distance() * elem_bytes, std::nullopt, out_bytes, out);
  add_mode(NK_MODE_BACKWARD, 0, std::nullopt, backward.distance() * elem_bytes, out_bytes, out);
}

void buffered_window_modes(const nk_spatial& s, int64_t scratch_bytes,
                           std::vector<KernelMode>& out) {
  const int64_t out_bytes = int64_t{s.batch} * s.out_h * s.out_w * s.out_c;
  const Distances d = window_distances(s, Reads::kPixelFirst, 1);
  out.push_back({NK_MODE_PLAIN, scratch_bytes, {}});
  add_mode(NK_MODE_FORWARD, scratch_bytes, d.forward_bytes, std::nullopt, out_bytes, out);
  add_mode(NK_MODE_BACKWARD, scratch_bytes, std::nullopt, d.backward_bytes, out_bytes, out);
}

void parts_modes(const nk_spatial& s, std::span<const int32_t> part_c, bool copies_pixel,
                 int64_t elem_bytes, std::vector<KernelMode>& out) {
  out.push_back({NK_MODE_PLAIN, 0, {}});
  for (size_t k = 0; k < part_c.size(); ++k) {
    nk_spatial part = s;
    part.in_c = part_c[k];
    std::vector<KernelMode> modes;
    window_modes(part, Reads::kAllChannels, elem_bytes, modes);
    for (KernelMode& mode : modes) {
      if (mode.overlaps.empty() || (nk_copies_pixel(mode.id) && !copies_pixel)) continue;
      mode.overlaps[0].input = static_cast<int>(k);
      auto same = std::ranges::find(out, mode.id, &KernelMode::id);
      if (same == out.end()) {
        const int64_t scratch = nk_copies_pixel(mode.id) ? s.in_c * elem_bytes : 0;
        same = out.insert(out.end(), {mode.id, scratch, {}});
      }
      same->overlaps.push_back(mode.overlaps[0]);
    }
  }
}

void add_channel_ring_mode(const nk_spatial& s, int64_t elem_bytes, std::vector<KernelMode>& out) {
  const int64_t extent = (int64_t{s.kernel_h} - 1) * s.dilation_h + 1;
  if (s.in_c != s.out_c || int64_t{s.out_h} * s.out_w > int64_t{s.in_h} * s.in_w) return;
  // Row y has been written: it must end before the first row that is still to be read.
  for (int64_t y = 0; y + 1 < s.out_h; ++y) {
    const int64_t loaded = y * s.stride_h - s.pad_top + extent;
    const int64_t next = std::max({loaded, (y + 1) * s.stride_h - s.pad_top, int64_t{0}});
    if (next < s.in_h && (y + 1) * s.out_w > next * s.in_w) return;
  }
  const int64_t scratch_bytes = std::min<int64_t>(extent, s.in_h) * s.in_w * elem_bytes;
  out.push_back({NK_MODE_CHANNEL_RING, scratch_bytes, {{0, 0, 0, std::nullopt}}});
}

}  // namespace netkit
