// SPDX-License-Identifier: MIT
// A .nk file as host values, for inspect and messages. Reads through the runtime's view: there is
// one parser of the format.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/emit/nk/nk_metadata.h"
#include "compiler/ir/tensor_type.h"
#include "runtime/nk/nk_view.h"

namespace netkit {

struct NkSectionInfo {
  std::string name;  // "steps"; "section 77" where the kind is not known
  uint32_t offset = 0, bytes = 0, count = 0;
};

struct NkTensorInfo {
  std::string name;
  TensorType type;
  uint32_t arena_offset = 0, bytes = 0;
};

struct NkArgInfo {
  enum class Place { kArena, kConstant, kNone };
  Place place = Place::kNone;
  uint32_t offset = 0, bytes = 0;
};

struct NkStepInfo {
  std::string kernel, node;  // node is empty where the file has no step-info
  uint64_t macs = 0;
  std::vector<NkArgInfo> inputs, outputs;
  uint32_t scratch_offset = 0, scratch_bytes = 0;
  Bytes params;              // the kernel's parameter struct
};

struct NkInfo {
  uint32_t minor = 0, file_bytes = 0, file_alignment = 0;
  uint32_t arena_bytes = 0, arena_alignment = 0;
  uint32_t constants_bytes = 0, params_bytes = 0, test_cases = 0;
  std::string target;        // "unknown" where the id is no known target's
  std::vector<NkSectionInfo> sections;
  std::vector<NkTensorInfo> inputs, outputs;
  std::vector<NkStepInfo> steps;
  Metadata metadata;
  std::string plan_json, certificate_json;  // empty: none
};

// `file` stands at a multiple of 16 (or of what its header asks). Checks structure, with the
// kernels of this program, and every CRC. `where` is the file's name for messages.
Result<NkInfo> read_nk(std::span<const std::byte> file, const std::string& where);

// What a failed check says: the cause, the section and record, what to do. `file` may be empty;
// it is looked at for the version only.
Error nk_error(const Fault& fault, std::span<const std::byte> file, const std::string& where);

}  // namespace netkit
