/* SPDX-License-Identifier: MIT */
/* Whether parameters and tables of resize fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/resize/resize.h"

/* An axis: positions in[at], weights in[at + 1]; taps 1 and no weights where nearest. */
static int is_axis(const nk_fit* f, uint32_t at, int32_t in, int32_t out, int32_t taps) {
  const int32_t sizes[2] = {out, taps};
  const uint32_t count = nk_fit_count(sizes, 2);
  const int32_t* weight;
  uint32_t i;
  if (in < 1 || !nk_fit_table(f, at, count, 0, in - 1)) return 0;
  if (f->in_elem == 0) return taps == 1;
  if (f->in_elem != 1) return nk_fit_in(f, at + 1, f->in_elem, count);
  weight = nk_fit_constant(f, at + 1, count);
  if (taps != 2 || weight == NULL) return 0;
  for (i = 0; i < count; i += 2) { /* no sum leaves int32 (resize_ref.c) */
    if (!nk_is_within(weight[i], -1024, 2048) || weight[i + 1] != 1024 - weight[i]) return 0;
  }
  return 1;
}

/* Nearest moves pixels of pixel_bytes, the others compute elements. */
NK_FIT(nk_resize_fit) {
  const nk_resize_params* p = (const nk_resize_params*)f->params;
  const uint32_t elem = f->in_elem == 0 ? 1 : f->in_elem;
  const int32_t pixel = f->in_elem == 0 ? p->pixel_bytes : p->c;
  const int32_t in[4] = {p->n, p->h, p->w, pixel}, out[4] = {p->n, p->out_h, p->out_w, pixel};
  return nk_fit_apart(nk_fit_in(f, 0, elem, nk_fit_count(in, 4)) &&
                      nk_fit_out(f, 0, elem, nk_fit_count(out, 4)) &&
                      is_axis(f, 1, p->h, p->out_h, p->row_taps) &&
                      is_axis(f, 3, p->w, p->out_w, p->column_taps));
}
