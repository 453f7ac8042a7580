// SPDX-License-Identifier: MIT
// Model: the C++ face of a loaded .nk program. Inline over netkit.h, 128 bytes, no heap.
// C++17 and newer.
#ifndef NETKIT_MODEL_HPP
#define NETKIT_MODEL_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "netkit.h"
#include "netkit/kernels.hpp"

namespace netkit {

// An input or output; see nk_program_tensor_t for the fields.
struct ModelTensor : nk_program_tensor_t {
  // The elements in place; T is the C type of dtype (nothing is converted).
  template <typename T>
  T* as() const {
    return static_cast<T*>(data);
  }
  // A real value as this tensor's integer, rounded to nearest with ties away from zero and
  // clamped to [low, high], a range of at most 16 bits; for quantised tensors. NaN gives
  // zero_point.
  int32_t quantize(float real, int32_t low, int32_t high) const {
    const float q = real / scale;
    if (!(q == q)) return zero_point;
    if (q >= static_cast<float>(high) - static_cast<float>(zero_point)) return high;
    if (q <= static_cast<float>(low) - static_cast<float>(zero_point)) return low;
    const int32_t whole = static_cast<int32_t>(q);
    const float rest = q - static_cast<float>(whole);  // exact: no half is lost to rounding
    return whole + zero_point + (rest >= 0.5f ? 1 : (rest <= -0.5f ? -1 : 0));
  }
  float dequantize(int32_t q) const {
    return scale * static_cast<float>(static_cast<int64_t>(q) - zero_point);
  }
};

// Loads in place and runs in the caller's arena; see netkit.h for what must stay alive.
class Model {
 public:
  Model() : program_() {}

  // What a file needs before there is an arena; 0 when it is not a .nk file of version 5.
  static size_t needed_arena_bytes(const void* file, size_t file_bytes) {
    size_t bytes = 0;
    return nk_program_need(file, file_bytes, &bytes, nullptr) == NK_OK ? bytes : 0;
  }

  // With every kernel of the library.
  nk_status_t load(const void* file, size_t file_bytes, void* arena, size_t arena_bytes) {
    return nk_program_load(&program_, file, file_bytes, arena, arena_bytes);
  }
  // With the kernels of a table: only those are linked. See kernels.hpp.
  template <size_t N>
  nk_status_t load(const void* file, size_t file_bytes, void* arena, size_t arena_bytes,
                   const std::array<nk_kernel_entry, N>& kernels,
                   nk_check_t check = NK_CHECK_STRUCTURE) {
    return nk_program_load_with(&program_, file, file_bytes, arena, arena_bytes, kernels.data(),
                                N, check);
  }

  nk_status_t run() { return nk_program_run(&program_); }

  uint32_t input_count() const { return nk_program_input_count(&program_); }
  uint32_t output_count() const { return nk_program_output_count(&program_); }
  // data is nullptr when nothing is loaded or index is too large.
  ModelTensor input(uint32_t index) const {
    ModelTensor tensor{};
    nk_program_input(&program_, index, &tensor);
    return tensor;
  }
  ModelTensor output(uint32_t index) const {
    ModelTensor tensor{};
    nk_program_output(&program_, index, &tensor);
    return tensor;
  }
  // Stated by the file; also after a load that an arena too small or misaligned made fail.
  size_t arena_bytes() const { return nk_program_arena_bytes(&program_); }
  size_t arena_alignment() const { return nk_program_arena_alignment(&program_); }

 private:
  nk_program_t program_;
};

}  // namespace netkit

#endif
