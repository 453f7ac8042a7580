/* SPDX-License-Identifier: MIT */
/* conv2d for Helium: windows of three output pixels side by side in scratch, then two output
 * channels at a time are summed over them (conv2d_mve.h has the layouts). */
#include "ops/conv2d/arm/conv2d_mve.h"

/* The windows of pixels [first, first + count), `column` bytes apart. */
static NK_APART void copy_windows(const nk_conv2d_params* p, const int8_t* x, int32_t first,
                                  int32_t count, int32_t column, int8_t* to) {
  nk_window_walk at;
  if (nk_conv2d_is_pointwise(p)) {
    x += first * p->in_c;
    for (; count > 0; --count) {
      nk_mve_copy(to, x, p->in_c);
      x += p->in_c;
      to += column;
    }
    return;
  }
  for (at = nk_window_walk_at(p, x, first); count > 0; --count) {
    nk_pixel pixel;
    pixel.in_y = at.oy * p->stride_h - p->pad_top;
    pixel.in_x = at.ox * p->stride_w - p->pad_left;
    nk_tap_range(pixel.in_y, p->dilation_h, p->kernel_h, p->in_h, &pixel.ky0, &pixel.ky1);
    nk_tap_range(pixel.in_x, p->dilation_w, p->kernel_w, p->in_w, &pixel.kx0, &pixel.kx1);
    nk_copy_window(p, &pixel, at.image, to);
    nk_window_walk_on(p, &at);
    to += column;
  }
}

void nk_conv2d_s8_mve(const void* params, const void* const* in, void* const* out, void* scratch) {
  const nk_conv2d_params* p = (const nk_conv2d_params*)params;
  const int8_t* x = (const int8_t*)in[0];
  const int32_t window = p->kernel_h * p->kernel_w * p->in_c;
  const int as_they_stand = nk_conv2d_mve_as_they_stand(p);
  int32_t left = p->batch * p->out_h * p->out_w, done = 0;
  nk_mve_layer layer;
  layer.weights = (const int8_t*)in[1];
  layer.table = (const int32_t*)in[2];
  layer.channels = p->out_c;
  layer.column = nk_mve_whole(window);
  layer.out = nk_mve_output_of(p->output_offset, p->act_min, p->act_max);
  while (left > 0) {
    const int32_t count = left < NK_MVE_COLUMNS ? left : NK_MVE_COLUMNS;
    const int32_t first = nk_walks_backward(p->mode) ? left - count : done;
    const int8_t* columns = (const int8_t*)scratch;
    if (as_they_stand) {
      columns = x + first * window;
    } else {
      copy_windows(p, x, first, count, layer.column, (int8_t*)scratch);
    }
    nk_mve_outputs(&layer, columns, count, (int8_t*)out[0] + first * p->out_c);
    left -= count;
    done += count;
  }
}
