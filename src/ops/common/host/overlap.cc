// SPDX-License-Identifier: MIT
// Exact overlap distances of sliding-window kernels (overlap.h).
#include "ops/common/host/overlap.h"

#include <algorithm>
#include <numeric>

namespace netkit {
namespace {

constexpr int64_t kMostPhases = int64_t{1} << 16;  // of a dilation that are looked at one by one

int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}
int64_t ceil_div(int64_t a, int64_t b) {
  return -floor_div(-a, b);
}

// One axis: output o reads the inputs o * stride - pad + k * dilation, k < taps, that lie in
// [0, in). A negative pad skips inputs.
struct Axis {
  int64_t out, in, taps, stride, dilation, pad;

  int64_t extent() const { return (taps - 1) * dilation + 1; }
  Axis mirrored() const {
    Axis m = *this;
    m.pad = (out - 1) * stride - pad + extent() - in;
    return m;
  }
  // Of a transposed convolution, where the roles of o and of the input change.
  Axis mirrored_transposed() const {
    Axis m = *this;
    m.pad = (in - 1) * stride - pad + extent() - out;
    return m;
  }
};

Axis rows_of(const nk_spatial& s) {
  return {s.out_h, s.in_h, s.kernel_h, s.stride_h, s.dilation_h, s.pad_top};
}
Axis columns_of(const nk_spatial& s) {
  return {s.out_w, s.in_w, s.kernel_w, s.stride_w, s.dilation_w, s.pad_left};
}

// Greatest o * write - first(o) * read, where first(o) is the first input that output o reads;
// nullopt where no output reads any. Above kMostPhases phases a bound of it.
std::optional<int64_t> lead(const Axis& a, int64_t write, int64_t read) {
  std::optional<int64_t> best;
  const auto consider = [&](int64_t o, int64_t first) {
    best = std::max(best.value_or(INT64_MIN), o * write - first * read);
  };
  // Windows that begin in the input: their first tap moves with o, so an end is the greatest.
  const int64_t begins = std::max<int64_t>(0, ceil_div(a.pad, a.stride));
  const int64_t ends = std::min(a.out - 1, floor_div(a.in - 1 + a.pad, a.stride));
  if (begins <= ends) {
    for (const int64_t o : {begins, ends}) consider(o, o * a.stride - a.pad);
  }
  // Windows that begin before it, the last first: their first tap comes back after a period.
  const int64_t last = std::min(a.out, begins) - 1;
  const int64_t period = a.dilation / std::gcd(a.stride, a.dilation);
  if (last >= 0 && std::min(last, period) > kMostPhases) {
    consider(last, 0);
    return best;
  }
  for (int64_t o = last; o >= 0 && o > last - period; --o) {
    const int64_t origin = o * a.stride - a.pad;
    const int64_t k = ceil_div(-origin, a.dilation);
    const int64_t first = origin + k * a.dilation;
    if (k < a.taps && first < a.in) consider(o, first);
  }
  return best;
}

// The same of a transposed convolution: output o reads the inputs i with
// o = i * stride - pad + k * dilation. Each tap is a line in i, greatest at an end.
std::optional<int64_t> transposed_lead(const Axis& a, int64_t write, int64_t read) {
  std::optional<int64_t> best;
  for (int64_t k = 0; k < a.taps; ++k) {
    const int64_t base = k * a.dilation - a.pad;
    const int64_t begin = std::max<int64_t>(0, ceil_div(-base, a.stride));
    const int64_t last = std::min(a.in - 1, floor_div(a.out - 1 - base, a.stride));
    if (begin > last) continue;
    for (const int64_t i : {begin, last}) {
      const int64_t ahead = (i * a.stride + base) * write - i * read;
      best = std::max(best.value_or(INT64_MIN), ahead);
    }
  }
  return best;
}

using Lead = std::optional<int64_t> (*)(const Axis& a, int64_t write, int64_t read);

// Elements written inside a pixel, at most, beyond what is still to be read of its window.
int64_t inside_pixel(const nk_spatial& s, Reads reads) {
  const int64_t channels = s.out_c - 1;
  if (reads == Reads::kPixelFirst) return 0;
  if (reads == Reads::kAllChannels) return channels;
  // Output channel k (in walk order) reads input channel k / multiplier (in walk order).
  const int64_t multiplier = std::max(1, s.out_c / std::max(1, s.in_c));
  return channels - channels / multiplier;
}

// Pixel i = (image, y, x) in walk order is written up to element i * out_c, and then inside it,
// while its window is still to be read: the greatest lead of the writes is the sum of the axes'
// leads.
int64_t distance(const nk_spatial& s, const Axis& h, const Axis& w, Lead lead, Reads reads) {
  const int64_t out_row = int64_t{s.out_w} * s.out_c, in_row = int64_t{s.in_w} * s.in_c;
  if (int64_t{s.batch} * s.out_h * out_row == 0) return 0;
  const auto rows = lead(h, out_row, in_row);
  const auto columns = lead(w, s.out_c, s.in_c);
  if (!rows || !columns) return 0;
  const int64_t image = s.out_h * out_row - s.in_h * in_row;
  const int64_t images = std::max<int64_t>(0, (int64_t{s.batch} - 1) * image);
  return std::max<int64_t>(0, images + *rows + *columns + inside_pixel(s, reads));
}

void add_mode(int id, int64_t scratch_bytes, std::optional<int64_t> forward,
              std::optional<int64_t> backward, int64_t out_bytes, std::vector<KernelMode>& out) {
  if (forward.value_or(0) >= out_bytes || backward.value_or(0) >= out_bytes) return;
  out.push_back({id, scratch_bytes, {{0, 0, forward, backward}}});
}

}  // namespace

Distances window_distances(const nk_spatial& s, Reads reads, int64_t elem_bytes) {
  const Axis h = rows_of(s), w = columns_of(s);
  return {distance(s, h, w, lead, reads) * elem_bytes,
          distance(s, h.mirrored(), w.mirrored(), lead, reads) * elem_bytes};
}

Distances gather_distances(const nk_spatial& s, int64_t elem_bytes) {
  const Axis h = rows_of(s), w = columns_of(s);
  const Axis back_h = h.mirrored_transposed(), back_w = w.mirrored_transposed();
  constexpr Reads kReads = Reads::kAllChannels;
  return {distance(s, h, w, transposed_lead, kReads) * elem_bytes,
          distance(s, back_h, back_w, transposed_lead, kReads) * elem_bytes};
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
  const Distances d = gather_distances(s, elem_bytes);
  out.push_back({NK_MODE_PLAIN, 0, {}});
  add_mode(NK_MODE_FORWARD, 0, d.forward_bytes, std::nullopt, out_bytes, out);
  add_mode(NK_MODE_BACKWARD, 0, std::nullopt, d.backward_bytes, out_bytes, out);
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
  // When row y has been written, rows from next(y) = max(0, y * stride + base) on are still to be
  // read; it must end before them. How far it is ahead is concave in y, so that it is greatest at
  // an end or where next(y) leaves 0.
  const int64_t base = std::max<int64_t>(extent, s.stride_h) - s.pad_top;
  const int64_t last = std::min<int64_t>(s.out_h - 2, floor_div(s.in_h - 1 - base, s.stride_h));
  const int64_t bend = floor_div(-base, s.stride_h);
  for (const int64_t at : {int64_t{0}, bend, bend + 1, last}) {
    const int64_t y = std::clamp<int64_t>(at, 0, std::max<int64_t>(0, last));
    const int64_t next = std::max<int64_t>(0, y * s.stride_h + base);
    if (y <= last && (y + 1) * s.out_w > next * s.in_w) return;
  }
  const int64_t scratch_bytes = std::min<int64_t>(extent, s.in_h) * s.in_w * elem_bytes;
  out.push_back({NK_MODE_CHANNEL_RING, scratch_bytes, {{0, 0, 0, std::nullopt}}});
}

}  // namespace netkit
