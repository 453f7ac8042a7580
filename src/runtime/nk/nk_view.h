// SPDX-License-Identifier: MIT
// NkView: a .nk file (version 5) read in place. open() checks the header and the section table;
// verify_structure() walks everything that steers memory accesses; verify_payload() the CRCs.
// Without verify_structure the accessors believe the file.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/nk_format.h"
#include "runtime/kernel_table.h"
#include "runtime/status.h"

namespace netkit {

class NkView {
 public:
  // `file` stays the caller's and in place. More bytes than the header states are ignored (a
  // flash partition). Leaves `*this` empty on failure.
  Fault open(const void* file, size_t bytes);

  // Every record in range, aligned and consistent; every kernel in `kernels` with the parameter
  // size that it expects, and its parameters fit its arguments (ops/common/fit.h); the CRCs of the
  // header and of the control sections. What it proves: no argument of any step lies outside the
  // arena or the constants, and no kernel leaves its arguments, whoever wrote the file.
  Fault verify_structure(KernelTable kernels) const;
  // The CRC of every section, known or not.
  Fault verify_payload() const;

  bool is_open() const { return file_ != nullptr; }
  const nk_file_header& header() const { return *at<nk_file_header>(0); }
  uint32_t section_count() const { return header().section_count; }
  const nk_file_section& section(uint32_t index) const {
    return at<nk_file_section>(header().header_bytes)[index];
  }
  // nullptr: the file has no such section.
  const nk_file_section* find_section(nk_section_kind kind) const;
  // First byte of a section of this file.
  const uint8_t* payload(const nk_file_section& section) const { return file_ + section.offset; }

  uint32_t input_count() const { return inputs_.count; }
  uint32_t output_count() const { return outputs_.count; }
  // index < count
  const nk_file_tensor& input(uint32_t index) const {
    return at<nk_file_tensor>(inputs_.offset)[index];
  }
  const nk_file_tensor& output(uint32_t index) const {
    return at<nk_file_tensor>(outputs_.offset)[index];
  }

  uint32_t state_count() const { return states_.count; }
  const nk_file_state& state(uint32_t index) const {
    return at<nk_file_state>(states_.offset)[index];
  }

  uint32_t step_count() const { return steps_.count; }
  const nk_file_step* first_step() const { return at<nk_file_step>(steps_.offset); }
  static const nk_file_arg* args(const nk_file_step* step) {
    return reinterpret_cast<const nk_file_arg*>(step + 1);
  }
  static const nk_file_step* next_step(const nk_file_step* step) {
    return reinterpret_cast<const nk_file_step*>(args(step) + step->in_count + step->out_count);
  }
  const void* params(const nk_file_step* step) const {
    return file_ + params_offset_ + step->params_offset;
  }
  const uint8_t* constants() const { return file_ + constants_offset_; }

  // A string of the file; "" when the offset is not in it.
  const char* string(uint32_t offset) const {
    return offset < strings_.count ? reinterpret_cast<const char*>(file_ + strings_.offset) + offset
                                   : "";
  }

 private:
  struct Records {
    uint32_t offset = 0, count = 0;
  };

  template <typename T>
  const T* at(uint32_t offset) const {
    return reinterpret_cast<const T*>(file_ + offset);
  }
  Fault read_section_table();

  const uint8_t* file_ = nullptr;
  Records inputs_, outputs_, states_, steps_;
  Records strings_;  // count is bytes
  uint32_t params_offset_ = 0, constants_offset_ = 0;
};

}  // namespace netkit
