/* SPDX-License-Identifier: MIT */
/* Normalisations of float32, channels last: x seen as [batch, spatial, groups, channels].
 *
 * layer_norm, rms_norm, group_norm, instance_norm: (x - mean) / sqrt(variance + epsilon) * scale +
 * bias with mean and variance over spatial and channels of each (batch, group), the population
 * variance by a second pass; rms_norm leaves the mean out. in[0]: x, in[1]: scale or NULL,
 * in[2]: bias or NULL, both [groups * channels]. Attributes: epsilon; layer_norm and rms_norm: axis
 * (all axes from it on are normalised); group_norm: groups.
 * l2_norm: x / max(sqrt(sum of squares), epsilon) over the last axis.
 * lrn: x / (bias + alpha * sum of squares over channels [c - before, c + after]) ^ beta; attributes
 * before, after, alpha, beta, bias.
 * batch_norm: x * scale[c] + shift[c] with in[1]: scale, in[2]: shift, both [channels]; made by the
 * host from gamma, beta, mean, variance where it cannot be folded into a neighbour. */
#ifndef NETKIT_OPS_NORM_NORM_H
#define NETKIT_OPS_NORM_NORM_H

#include "ops/common/kernel.h"

#define NK_NORM_FIELDS(S, A) \
  S(int32_t, batch) \
  S(int32_t, spatial) \
  S(int32_t, groups) \
  S(int32_t, channels) /* of one group */ \
  S(int32_t, subtract_mean) \
  S(float, epsilon)

typedef struct nk_norm_params { NK_NORM_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_norm_params;

#define NK_LRN_FIELDS(S, A) \
  S(int32_t, rows) \
  S(int32_t, channels) \
  S(int32_t, before) \
  S(int32_t, after) \
  S(float, alpha) \
  S(float, beta) \
  S(float, bias)

typedef struct nk_lrn_params { NK_LRN_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_lrn_params;

#define NK_NORM_OPS(X) \
  X(layer_norm) X(rms_norm) X(group_norm) X(instance_norm) X(batch_norm) \
  X(l2_norm)

#define NK_NORM_PARAMS(op) typedef nk_norm_params nk_##op##_params;
NK_NORM_OPS(NK_NORM_PARAMS)
#undef NK_NORM_PARAMS

#endif
