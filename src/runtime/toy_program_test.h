// SPDX-License-Identifier: MIT
// For tests of the .nk format and the runtime: a Program of two toy kernels with every kind of
// argument (arena, constant, absent, scratch), memory placed by hand, and one test case.
#pragma once

#include <cstdlib>
#include <cstring>
#include <memory>

#include "compiler/emit/nk/nk_writer.h"
#include "netkit/kernels.hpp"
#include "ops/common/fit.h"
#include "runtime/kernel_table.h"
#include "runtime/nk/crc32.h"

namespace netkit::toy {

struct AffineParams {
  int32_t count, gain;
};
struct MixParams {
  int32_t count, shift, turns, unused;
};

// out[i] = gain * in0[i] + in1[i] (+ in2[i])
inline void affine(const void* params, const void* const* in, void* const* out, void*) {
  const auto* p = static_cast<const AffineParams*>(params);
  const auto* x = static_cast<const uint8_t*>(in[0]);
  const auto* w = static_cast<const uint8_t*>(in[1]);
  const auto* b = static_cast<const uint8_t*>(in[2]);
  auto* y = static_cast<uint8_t*>(out[0]);
  for (int32_t i = 0; i < p->count; ++i) {
    y[i] = static_cast<uint8_t>(p->gain * x[i] + w[i] + (b ? b[i] : 0));
  }
}

// scratch = in0 reversed; out[i] = (scratch[i] << shift) ^ in1[i], `turns` times
inline void mix(const void* params, const void* const* in, void* const* out, void* scratch) {
  const auto* p = static_cast<const MixParams*>(params);
  const auto* x = static_cast<const uint8_t*>(in[0]);
  const auto* z = static_cast<const uint8_t*>(in[1]);
  auto* reversed = static_cast<uint8_t*>(scratch);
  auto* y = static_cast<uint8_t*>(out[0]);
  for (int32_t i = 0; i < p->count; ++i) reversed[i] = x[p->count - 1 - i];
  for (int32_t turn = 0; turn < p->turns; ++turn) {
    for (int32_t i = 0; i < p->count; ++i) {
      y[i] = static_cast<uint8_t>((reversed[i] << p->shift) ^ z[i]);
    }
  }
}

inline int affine_fits(const nk_fit* f) {
  const uint32_t count = nk_fit_count(&static_cast<const AffineParams*>(f->params)->count, 1);
  return nk_fit_in(f, 0, 1, count) && nk_fit_in(f, 1, 1, count) &&
         nk_fit_optional(f, 2, 1, count) && nk_fit_out(f, 0, 1, count);
}

inline int mix_fits(const nk_fit* f) {
  const auto* p = static_cast<const MixParams*>(f->params);
  const uint32_t count = nk_fit_count(&p->count, 1);
  return nk_fit_in(f, 0, 1, count) && nk_fit_in(f, 1, 1, count) && nk_fit_out(f, 0, 1, count) &&
         nk_fit_scratch(f, 1, count) && nk_is_within(p->shift, 0, 7) && p->turns >= 0;
}

inline constexpr auto kKernels = kernel_table(
    {{kernel_id("nk_toy_affine_u8_ref"), sizeof(AffineParams), 1, 1, affine, affine_fits},
     {kernel_id("nk_toy_mix_u8_ref"), sizeof(MixParams), 1, 1, mix, mix_fits}});
inline KernelTable kernels() {
  return {kKernels.data(), kKernels.size()};
}

inline const KernelRow kAffineRow = {
    "toy_affine", "nk_toy_affine_u8_ref", "any", "u8", "1", "plain", affine, nullptr, nullptr};
inline const KernelRow kMixRow = {
    "toy_mix", "nk_toy_mix_u8_ref", "any", "u8", "1", "plain", mix, nullptr, nullptr};

template <typename T>
Bytes bytes_of(const T& value) {
  Bytes bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

inline Bytes ramp(int count, int start, int step) {
  Bytes bytes;
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::byte>(start + i * step));
  return bytes;
}

constexpr int kCount = 40;  // not a multiple of 16: buffers are padded by the plan
constexpr int kGain = 3, kShift = 1;

// What the program gives for an input.
inline Bytes expected(const Bytes& x) {
  const Bytes w = ramp(kCount, 7, 5);
  Bytes y(kCount);
  for (size_t i = 0; i < kCount; ++i) {
    const int mid = (kGain * static_cast<int>(x[i]) + static_cast<int>(w[i])) & 0xFF;
    y[i] = static_cast<std::byte>((static_cast<int>(x[kCount - 1 - i]) << kShift) ^ mid);
  }
  return y;
}

inline Program program() {
  Program p;
  Schedule& s = p.schedule;
  s.target = "generic";
  s.source = "toy.tflite";
  s.buffers = {{"x", kCount, {0}}, {"mid", kCount, {1}}, {"y", kCount, {2}}};
  Constant weights;
  weights.name = "weights";
  weights.data = std::make_shared<const Bytes>(ramp(kCount, 7, 5));
  s.constants = {weights};
  ScheduleStep affine_step, mix_step;
  affine_step.name = "dense/affine";
  affine_step.row = &kAffineRow;
  affine_step.params = bytes_of(AffineParams{kCount, kGain});
  affine_step.inputs = {{.buffer = 0}, {.constant = 0}, {}};
  affine_step.outputs = {{.buffer = 1}};
  affine_step.macs = kCount;
  mix_step.name = "mix";
  mix_step.row = &kMixRow;
  mix_step.params = bytes_of(MixParams{kCount, kShift, 1, 0});
  mix_step.inputs = {{.buffer = 0}, {.buffer = 1}};
  mix_step.outputs = {{.buffer = 2}};
  mix_step.macs = uint64_t{5} << 32;
  s.steps = {affine_step, mix_step};
  const TensorType type = {NK_UINT8, {1, 5, 8}, {{0.5f}, {3}, 0}};
  s.inputs = {{"x", type, 0}};
  s.outputs = {{"y", {NK_UINT8, {kCount}, {}}, 2}};
  p.order = {{.step = 0}, {.step = 1, .scratch_bytes = kCount, .scratch_offset = 144}};
  p.buffer_offsets = {0, 48, 96};
  p.arena_bytes = 144 + kCount;
  p.plan_json = "{\"format\":\"netkit-plan/1\"}";
  p.metadata = {{"source", "toy.tflite"}, {"note", "quote \" and line\n"}};
  const Bytes x = ramp(kCount, 1, 3);
  p.tests = {{"ramp", {x}, {expected(x)}, 0.0f}};
  return p;
}

// Memory at a multiple of `alignment` in a heap block of exactly its size, so that
// AddressSanitizer sees the first byte beyond it; filled with a poison pattern.
class ExactBlock {
 public:
  ExactBlock(size_t bytes, size_t alignment, int poison = 0xA5) : size_(bytes) {
    void* block = nullptr;
    if (posix_memalign(&block, alignment, bytes) != 0) std::abort();
    data_.reset(block);
    if (bytes) std::memset(block, poison, bytes);
  }
  explicit ExactBlock(const Bytes& copy_of) : ExactBlock(copy_of.size(), 16) {
    if (size_) std::memcpy(data(), copy_of.data(), size_);
  }
  uint8_t* data() const { return static_cast<uint8_t*>(data_.get()); }
  size_t size() const { return size_; }
  Bytes bytes() const {
    Bytes out(size_);
    if (size_) std::memcpy(out.data(), data(), size_);
    return out;
  }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  size_t size_;
  std::unique_ptr<void, Free> data_;
};

// Makes every checksum of a file right again, as far as its header and table can be followed.
inline void forge_checksums(uint8_t* file, size_t size) {
  if (size < sizeof(nk_file_header)) return;
  auto* header = reinterpret_cast<nk_file_header*>(file);
  const size_t end = header->header_bytes + header->section_count * sizeof(nk_file_section);
  if (header->section_count > NK_FILE_MAX_SECTIONS || header->header_bytes % 4 != 0 ||
      header->header_bytes < sizeof *header || end > size) {
    return;
  }
  auto* table = reinterpret_cast<nk_file_section*>(file + header->header_bytes);
  for (uint32_t i = 0; i < header->section_count; ++i) {
    nk_file_section& section = table[i];
    if (section.offset <= size && section.bytes <= size - section.offset) {
      section.crc32 = crc32(file + section.offset, section.bytes);
    }
  }
  constexpr size_t kFirst = offsetof(nk_file_header, file_bytes);
  header->header_crc32 = crc32(file + kFirst, end - kFirst);
}

}  // namespace netkit::toy
