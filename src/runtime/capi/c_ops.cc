// SPDX-License-Identifier: MIT
// Arithmetic on single tensors: each call fills the parameters of one kernel and calls it.
#include "base/memory.h"
#include "netkit.h"
#include "ops/binary/binary.h"
#include "ops/matmul/matmul.h"
#include "ops/softmax/softmax.h"
#include "ops/unary/unary.h"

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_add_f32_ref);
NK_DECLARE_KERNEL(nk_mul_f32_ref);
NK_DECLARE_KERNEL(nk_relu_f32_ref);
NK_DECLARE_KERNEL(nk_sigmoid_f32_ref);
NK_DECLARE_KERNEL(nk_tanh_f32_ref);
NK_DECLARE_KERNEL(nk_leaky_relu_f32_ref);
NK_DECLARE_KERNEL(nk_relu6_f32_ref);
NK_EXTERN_C_END

namespace {

using Kernel = void (*)(const void*, const void* const*, void* const*, void*);

constexpr float kInfinity = __builtin_inff();
constexpr uint32_t kMaxElements = INT32_MAX;  // kernels count in int32

bool usable(const nk_tensor_t* t) {
  return t && t->data && t->dtype == NK_DTYPE_FLOAT32 && t->num_elements <= kMaxElements &&
         t->rank >= 1 && t->rank <= NK_MAX_TENSOR_RANK;
}

bool same_shape(const nk_tensor_t* a, const nk_tensor_t* b) {
  if (!usable(a) || !usable(b) || a->rank != b->rank) return false;
  for (uint32_t i = 0; i < a->rank; ++i) {
    if (a->shape[i] != b->shape[i]) return false;
  }
  return true;
}

bool is_matrix(const nk_tensor_t* t) {
  return t && t->rank == 2;
}

// Do they share no byte?
bool apart(const nk_tensor_t* a, const nk_tensor_t* c) {
  const auto bytes = [](const nk_tensor_t* t) { return sizeof(float) * size_t{t->num_elements}; };
  return !netkit::share_bytes(a->data, bytes(a), c->data, bytes(c));
}

// c may be written while a is read, element by element.
bool in_step(const nk_tensor_t* a, const nk_tensor_t* c) {
  return a->data == c->data || apart(a, c);
}

// Elements one by one; b_stride 0: b is a single number.
void pairwise(Kernel kernel, const nk_tensor_t* a, const float* b, int32_t b_stride,
              nk_tensor_t* c) {
  nk_binary_params p{};
  p.rank = 1;
  for (int32_t& dim : p.dims) dim = 1;
  p.dims[0] = static_cast<int32_t>(c->num_elements);
  p.a_strides[0] = 1;
  p.b_strides[0] = b_stride;
  p.act_min_f32 = -kInfinity;
  p.act_max_f32 = kInfinity;
  const void* in[] = {a->data, b};
  void* out[] = {c->data};
  kernel(&p, in, out, nullptr);
}

void unary(Kernel kernel, const nk_tensor_t* a, nk_tensor_t* c, float alpha) {
  if (!nk_ops_is_unary_op_valid(a, c)) return;
  nk_unary_params p{};
  p.count = static_cast<int32_t>(a->num_elements);
  p.alpha = alpha;
  const void* in[] = {a->data};
  void* out[] = {c->data};
  kernel(&p, in, out, nullptr);
}

}  // namespace

extern "C" {

bool nk_ops_is_elementwise_valid(const nk_tensor_t* a, const nk_tensor_t* b) {
  return same_shape(a, b);
}
bool nk_ops_check_same_shape_2d(const nk_tensor_t* a, const nk_tensor_t* b, const nk_tensor_t* c) {
  return is_matrix(a) && same_shape(a, b) && same_shape(a, c);
}
bool nk_ops_check_same_shape_nd(const nk_tensor_t* a, const nk_tensor_t* b, const nk_tensor_t* c) {
  return same_shape(a, b) && same_shape(a, c);
}
bool nk_ops_is_elementwise_valid_nd(const nk_tensor_t* a, const nk_tensor_t* b,
                                    const nk_tensor_t* c) {
  return nk_ops_check_same_shape_nd(a, b, c) && in_step(a, c) && in_step(b, c);
}
bool nk_ops_is_matmul_valid(const nk_tensor_t* a, const nk_tensor_t* b, const nk_tensor_t* c) {
  return usable(a) && usable(b) && usable(c) && is_matrix(a) && is_matrix(b) && is_matrix(c) &&
         a->shape[1] == b->shape[0] && c->shape[0] == a->shape[0] && c->shape[1] == b->shape[1] &&
         apart(a, c) && apart(b, c);
}
bool nk_ops_is_unary_op_valid(const nk_tensor_t* a, const nk_tensor_t* c) {
  return usable(a) && usable(c) && a->num_elements == c->num_elements && in_step(a, c);
}

void nk_ops_mul_nd(const nk_tensor_t* a, const nk_tensor_t* b, nk_tensor_t* c) {
  if (!nk_ops_is_elementwise_valid_nd(a, b, c)) return;
  pairwise(nk_mul_f32_ref, a, static_cast<const float*>(b->data), 1, c);
}
void nk_ops_mat_add_nd(const nk_tensor_t* a, const nk_tensor_t* b, nk_tensor_t* c) {
  if (!nk_ops_is_elementwise_valid_nd(a, b, c)) return;
  pairwise(nk_add_f32_ref, a, static_cast<const float*>(b->data), 1, c);
}
void nk_ops_mul(const nk_tensor_t* a, const nk_tensor_t* b, nk_tensor_t* c) {
  nk_ops_mul_nd(a, b, c);
}
void nk_ops_mat_add(const nk_tensor_t* a, const nk_tensor_t* b, nk_tensor_t* c) {
  if (nk_ops_check_same_shape_2d(a, b, c)) nk_ops_mat_add_nd(a, b, c);
}
void nk_ops_mul_scalar(const nk_tensor_t* a, float scalar, nk_tensor_t* c) {
  if (nk_ops_is_unary_op_valid(a, c)) pairwise(nk_mul_f32_ref, a, &scalar, 0, c);
}

void nk_ops_mat_mul(const nk_tensor_t* a, const nk_tensor_t* b, nk_tensor_t* c) {
  if (!nk_ops_is_matmul_valid(a, b, c)) return;
  nk_matmul_params p{};
  for (int32_t& size : p.stack) size = 1;
  p.rows = static_cast<int32_t>(a->shape[0]);
  p.depth = static_cast<int32_t>(a->shape[1]);
  p.cols = static_cast<int32_t>(b->shape[1]);
  p.a_row = p.depth;
  p.a_depth = 1;
  p.b_depth = p.cols;
  p.b_col = 1;
  const void* in[] = {a->data, b->data};
  void* out[] = {c->data};
  nk_matmul_f32_ref(&p, in, out, nullptr);
}

void nk_ops_relu(const nk_tensor_t* a, nk_tensor_t* c) {
  unary(nk_relu_f32_ref, a, c, 0.0f);
}
void nk_ops_sigmoid(const nk_tensor_t* a, nk_tensor_t* c) {
  unary(nk_sigmoid_f32_ref, a, c, 0.0f);
}
void nk_ops_tanh(const nk_tensor_t* a, nk_tensor_t* c) {
  unary(nk_tanh_f32_ref, a, c, 0.0f);
}
void nk_ops_leaky_relu(const nk_tensor_t* a, nk_tensor_t* c, float alpha) {
  unary(nk_leaky_relu_f32_ref, a, c, alpha);
}
void nk_ops_relu6(const nk_tensor_t* a, nk_tensor_t* c) {
  unary(nk_relu6_f32_ref, a, c, 0.0f);
}

void nk_ops_softmax(const nk_tensor_t* a, nk_tensor_t* c) {
  if (!nk_ops_is_unary_op_valid(a, c) || a->num_elements == 0) return;
  nk_softmax_params p{};
  p.rows = 1;
  p.depth = static_cast<int32_t>(a->num_elements);
  p.beta = 1.0f;
  const void* in[] = {a->data};
  void* out[] = {c->data};
  nk_softmax_f32_ref(&p, in, out, nullptr);
}

}  // extern "C"
