/* SPDX-License-Identifier: MIT */
/* What the kernels with NK_MODE_CHANNEL_RING share. C99 and C++. */
#ifndef NETKIT_OPS_DWCONV2D_CHANNEL_RING_H
#define NETKIT_OPS_DWCONV2D_CHANNEL_RING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* In NHWC a channel's elements stand out_c apart, so a pass over one channel touches nothing of the
 * others as long as input and output agree on where each channel stands. Where the output lies over
 * the input at another distance, the dead input is moved down to the next place that agrees; the
 * bytes below it are the output's. Returns where the input stands. */
static inline const void* nk_agree_on_channels(const void* in, const void* out, size_t in_bytes,
                                               size_t out_bytes, size_t pixel_bytes) {
  const uintptr_t x = (uintptr_t)in, y = (uintptr_t)out;
  size_t down;
  if (y > x || x >= y + out_bytes) return in; /* apart, or in place */
  down = (size_t)(x - y) % pixel_bytes;
  if (down == 0) return in;
  memmove((uint8_t*)(uintptr_t)(x - down), in, in_bytes);
  return (const uint8_t*)in - down;
}

#endif
