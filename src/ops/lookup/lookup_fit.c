/* SPDX-License-Identifier: MIT */
/* Whether parameters of the operators that read or write where integers say fit the arguments
 * (fit.h). The indices themselves are clamped by the kernels. */
#include "ops/common/fit.h"
#include "ops/common/nd_walk.h"
#include "ops/lookup/lookup.h"

static int are_indices(const nk_fit* f, uint32_t i, int32_t index_bytes, uint32_t count) {
  return (index_bytes == 4 || index_bytes == 8) &&
         nk_fit_in(f, i, (uint32_t)index_bytes, count);
}

NK_FIT(nk_gather_fit) {
  const nk_gather_params* p = (const nk_gather_params*)f->params;
  const int32_t data[4] = {p->batch, p->outer, p->n, p->run_bytes};
  const int32_t out[4] = {p->batch, p->outer, p->count, p->run_bytes};
  const int32_t indices[2] = {p->batch, p->count};
  return nk_fit_apart(nk_fit_in(f, 0, 1, nk_fit_count(data, 4)) &&
               are_indices(f, 1, p->index_bytes, nk_fit_count(indices, 2)) &&
               nk_fit_out(f, 0, 1, nk_fit_count(out, 4)));
}

/* Every slice lies inside the batch_elems elements of data. */
static int are_slices(const nk_slices_params* p) {
  int32_t i;
  uint32_t span;
  if (!nk_is_within(p->depth, 0, 6) || p->run_elems < 1 || p->batch_elems < 1) return 0;
  if (nk_fit_count(p->dims, p->depth) == NK_FIT_MANY) return 0;
  for (i = 0; i < p->depth; ++i) {
    if (p->strides[i] < 0) return 0;
  }
  span = nk_fit_span(p->dims, p->strides, p->depth, 0);
  return span <= (uint32_t)p->batch_elems &&
         (uint32_t)p->run_elems - 1 <= (uint32_t)p->batch_elems - span;
}

NK_FIT(nk_gather_nd_fit) {
  const nk_slices_params* p = (const nk_slices_params*)f->params;
  const int32_t data[3] = {p->batch, p->batch_elems, p->width};
  const int32_t out[4] = {p->batch, p->count, p->run_elems, p->width};
  return nk_fit_apart(are_slices(p) && nk_fit_in(f, 0, 1, nk_fit_count(data, 3)) &&
               nk_fit_out(f, 0, 1, nk_fit_count(out, 4)) &&
               are_indices(f, 1, p->index_bytes,
                           nk_fit_times(nk_fit_count(out, 2), (uint32_t)p->depth)));
}

/* No updates at all are allowed: the output is then the data. */
NK_FIT(nk_scatter_nd_fit) {
  const nk_slices_params* p = (const nk_slices_params*)f->params;
  const uint32_t count = (uint32_t)p->count;
  return p->count >= 0 && are_slices(p) &&
         nk_fit_in(f, 0, f->in_elem, (uint32_t)p->batch_elems) &&
         nk_fit_out(f, 0, f->in_elem, (uint32_t)p->batch_elems) &&
         are_indices(f, 1, p->index_bytes, nk_fit_times(count, (uint32_t)p->depth)) &&
         nk_fit_in(f, 2, f->in_elem, nk_fit_times(count, (uint32_t)p->run_elems));
}

/* The walk over the indices and any position on the axis stay inside data_elems. */
static int is_walk(const nk_elements_params* p) {
  uint32_t span, far;
  int32_t i;
  if (p->n < 1 || p->axis_stride < 0 || p->data_elems < 1) return 0;
  if (nk_fit_count(p->dims, p->rank) == NK_FIT_MANY) return 0;
  for (i = 0; i < p->rank; ++i) {
    if (p->strides[i] < 0) return 0;
  }
  span = nk_fit_span(p->dims, p->strides, p->rank, 0);
  far = nk_fit_times((uint32_t)p->n - 1, (uint32_t)p->axis_stride);
  return span <= (uint32_t)p->data_elems && far <= (uint32_t)p->data_elems - span;
}

NK_FIT(nk_gather_elements_fit) {
  const nk_elements_params* p = (const nk_elements_params*)f->params;
  const uint32_t width = (uint32_t)p->width;
  uint32_t count;
  if (!nk_is_within(p->rank, 1, 6) || p->width < 1 || !is_walk(p)) return NK_FIT_REFUSED;
  count = nk_fit_count(p->dims, p->rank);
  return nk_fit_apart(nk_fit_in(f, 0, 1, nk_fit_times(width, (uint32_t)p->data_elems)) &&
               are_indices(f, 1, p->index_bytes, count) &&
               nk_fit_out(f, 0, 1, nk_fit_times(width, count)));
}

NK_FIT(nk_scatter_elements_fit) {
  const nk_elements_params* p = (const nk_elements_params*)f->params;
  const uint32_t elems = (uint32_t)p->data_elems;
  uint32_t count;
  if (!nk_is_within(p->rank, 1, 6) || p->data_elems < 1 || !nk_fit_in(f, 0, f->in_elem, elems) ||
      !nk_fit_out(f, 0, f->in_elem, elems)) {
    return NK_FIT_REFUSED;
  }
  if (nk_nd_empty(p->dims, p->rank)) return f->in_count >= 3;
  count = nk_fit_count(p->dims, p->rank);
  return is_walk(p) && are_indices(f, 1, p->index_bytes, count) &&
         nk_fit_in(f, 2, f->in_elem, count);
}

NK_FIT(nk_one_hot_fit) {
  const nk_one_hot_params* p = (const nk_one_hot_params*)f->params;
  const int32_t indices[2] = {p->outer, p->inner};
  const int32_t out[4] = {p->outer, p->inner, p->depth, p->width};
  return nk_fit_apart(are_indices(f, 0, p->index_bytes, nk_fit_count(indices, 2)) &&
               nk_fit_out(f, 0, 1, nk_fit_count(out, 4)) &&
               nk_fit_in(f, 1, 1, nk_fit_times(2, (uint32_t)p->width)));
}

/* Apart: each choice compares with lines as they were. */
NK_FIT(nk_topk_fit) {
  const nk_topk_params* p = (const nk_topk_params*)f->params;
  const int32_t in[3] = {p->outer, p->n, p->inner}, out[3] = {p->outer, p->k, p->inner};
  const uint32_t count = nk_fit_count(out, 3);
  return nk_fit_apart(p->k <= p->n && nk_fit_in(f, 0, f->in_elem, nk_fit_count(in, 3)) &&
               nk_fit_out(f, 0, f->in_elem, count) &&
               (p->index_bytes == 4 || p->index_bytes == 8) &&
               nk_fit_out(f, 1, (uint32_t)p->index_bytes, count));
}
