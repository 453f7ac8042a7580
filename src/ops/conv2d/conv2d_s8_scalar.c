/* SPDX-License-Identifier: MIT */
/* conv2d for cores without SIMD (conv2d_scalar.h). */
#include "ops/common/scalar_dot.h"
#include "ops/conv2d/conv2d_scalar.h"
#include "ops/conv2d/window_walk.h"

/* A line of output pixels at y, in the order of the mode. pixel: the taps of its rows. */
static void write_line(const nk_conv2d_params* p, nk_pixel pixel, const void* const* in,
                       const int8_t* x, int8_t* y, int8_t* scratch) {
  const int32_t count = p->kernel_h * p->kernel_w * p->in_c;
  const int in_place = p->kernel_h == 1 && p->kernel_w == 1 && p->mode == NK_MODE_PLAIN;
  int32_t i;
  for (i = 0; i < p->out_w; ++i) {
    const int32_t ox = nk_walks_backward(p->mode) ? p->out_w - 1 - i : i;
    const int8_t* window = scratch;
    pixel.in_x = ox * p->stride_w - p->pad_left;
    nk_tap_range(pixel.in_x, p->dilation_w, p->kernel_w, p->in_w, &pixel.kx0, &pixel.kx1);
    if (in_place && pixel.kx1 > pixel.kx0 && pixel.ky1 > pixel.ky0) {
      window = x + (pixel.in_y * p->in_w + pixel.in_x) * p->in_c;
    } else {
      nk_copy_window(p, &pixel, x, scratch);
    }
    nk_scalar_outputs(window, count, (const int8_t*)in[1], (const int32_t*)in[2], p->out_c,
                      p->output_offset, y + ox * p->out_c);
  }
}

void nk_conv2d_s8_scalar(const void* params, const void* const* in, void* const* out,
                         void* scratch) {
  const nk_conv2d_params* p = (const nk_conv2d_params*)params;
  const int backward = nk_walks_backward(p->mode);
  int32_t i, j;
  for (i = 0; i < p->batch; ++i) {
    const int32_t n = backward ? p->batch - 1 - i : i;
    const int8_t* x = (const int8_t*)in[0] + n * p->in_h * p->in_w * p->in_c;
    for (j = 0; j < p->out_h; ++j) {
      const int32_t oy = backward ? p->out_h - 1 - j : j;
      int8_t* y = (int8_t*)out[0] + (n * p->out_h + oy) * p->out_w * p->out_c;
      nk_pixel pixel = {0, 0, 0, 0, 0, 0, 0, 0};
      pixel.in_y = oy * p->stride_h - p->pad_top;
      nk_tap_range(pixel.in_y, p->dilation_h, p->kernel_h, p->in_h, &pixel.ky0, &pixel.ky1);
      write_line(p, pixel, in, x, y, (int8_t*)scratch);
      nk_dsp_clamp(y, (size_t)(p->out_w * p->out_c), p->act_min, p->act_max);
    }
  }
}
