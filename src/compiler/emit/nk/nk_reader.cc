// SPDX-License-Identifier: MIT
// .nk → NkInfo, and the wording of what the verifier finds.
#include "compiler/emit/nk/nk_reader.h"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "compiler/ir/op_def.h"
#include "compiler/select/target.h"
#include "netkit/kernels.hpp"

namespace netkit {
namespace {

std::string section_name(uint32_t kind) {
  switch (kind) {
#define NK_X(name, value, text, flags, record_bytes) \
  case value:                                        \
    return text;
    NK_SECTIONS(NK_X)
#undef NK_X
    default:
      return fmt::format("section {}", kind);
  }
}

std::string_view hint_of(Status status, uint32_t version) {
  switch (status) {
    case NK_STATUS_BAD_VERSION:
      return version == 3 || version == 4 ? "it holds a model: netkit compile OLD.nk -o NEW.nk"
                                          : "read it with the netkit that wrote it, or a newer one";
    case NK_STATUS_TRUNCATED:
    case NK_STATUS_BAD_CRC:
    case NK_STATUS_CORRUPT:
    case NK_STATUS_BAD_PARAMS:
      return "the file was damaged or cut: copy or compile it again";
    case NK_STATUS_UNKNOWN_KERNEL:
    case NK_STATUS_UNSUPPORTED:
      return "use a newer netkit, or compile for target generic";
    default:
      return "";
  }
}

NkTensorInfo tensor_info(const NkView& view, const nk_file_tensor& tensor) {
  NkTensorInfo info;
  info.name = view.string(tensor.name);
  info.type.dtype = static_cast<nk_dtype>(tensor.dtype);
  info.type.dims.assign(tensor.dims, tensor.dims + tensor.rank);
  if (tensor.scale != 0.0f) info.type.quant = {{tensor.scale}, {tensor.zero_point}, 0};
  info.arena_offset = tensor.arena_offset;
  info.bytes = tensor.bytes;
  return info;
}

NkArgInfo arg_info(const nk_file_arg& arg) {
  if (arg.place == NK_ARG_ABSENT) return {};
  if (arg.place & NK_ARG_CONSTANT) {
    return {NkArgInfo::Place::kConstant, arg.place & ~NK_ARG_CONSTANT, arg.bytes};
  }
  return {NkArgInfo::Place::kArena, arg.place, arg.bytes};
}

// The name of a kernel that this program knows, else its id.
std::string kernel_name(uint32_t id) {
  for (const KernelRow& row : all_kernel_rows()) {
    if (kernel_id(std::string(row.symbol).c_str()) == id) return std::string(row.symbol);
  }
  return fmt::format("kernel {:#010x}", id);
}

std::vector<NkStepInfo> step_infos(const NkView& view) {
  std::vector<NkStepInfo> steps;
  const nk_file_section* names = view.find_section(NK_SECTION_STEP_INFO);
  const auto* texts =
      names ? reinterpret_cast<const nk_file_step_info*>(view.payload(*names)) : nullptr;
  const nk_file_step* step = view.first_step();
  for (uint32_t i = 0; i < view.step_count(); ++i, step = NkView::next_step(step)) {
    NkStepInfo info;
    info.kernel = texts ? view.string(texts[i].kernel_name) : kernel_name(step->kernel_id);
    if (texts) {
      info.node = view.string(texts[i].node_name);
      info.macs = texts[i].macs_low | uint64_t{texts[i].macs_high} << 32;
    }
    const nk_file_arg* args = NkView::args(step);
    for (uint32_t a = 0; a < step->in_count; ++a) info.inputs.push_back(arg_info(args[a]));
    for (uint32_t a = 0; a < step->out_count; ++a) {
      info.outputs.push_back(arg_info(args[step->in_count + a]));
    }
    info.scratch_offset = step->scratch_offset;
    info.scratch_bytes = step->scratch_bytes;
    const auto* params = static_cast<const std::byte*>(view.params(step));
    info.params.assign(params, params + step->params_bytes);
    steps.push_back(std::move(info));
  }
  return steps;
}

std::string target_name(uint32_t id) {
  for (const Target& target : all_targets()) {
    if (kernel_id(std::string(target.name).c_str()) == id) return std::string(target.name);
  }
  return "unknown";
}

std::string text_of(const NkView& view, nk_section_kind kind) {
  const nk_file_section* section = view.find_section(kind);
  if (!section) return {};
  return {reinterpret_cast<const char*>(view.payload(*section)), section->bytes};
}

}  // namespace

Error nk_error(const Fault& fault, std::span<const std::byte> file, const std::string& where) {
  uint32_t version = 0;
  if (file.size() >= 8) std::memcpy(&version, file.data() + 4, 4);
  Error error;
  error.message = nk_status_text(fault.status);
  error.where = where;
  if (fault.code() == NK_STATUS_BAD_VERSION) {
    error.message = fmt::format(".nk version {} is not version {}", version, NK_FILE_VERSION);
  } else if (fault.section != 0) {
    error.where += fmt::format("{}{}, record {}", where.empty() ? "" : ": ",
                               section_name(fault.section), fault.index);
  }
  error.hint = hint_of(fault.code(), version);
  return error;
}

Result<NkInfo> read_nk(std::span<const std::byte> file, const std::string& where) {
  NkView view;
  Fault fault = view.open(file.data(), file.size());
  if (fault.ok()) fault = view.verify_payload();
  if (fault.ok()) fault = view.verify_structure(all_kernels());
  if (!fault.ok()) return std::unexpected(nk_error(fault, file, where));

  NkInfo info;
  const nk_file_header& header = view.header();
  info.minor = header.minor;
  info.file_bytes = header.file_bytes;
  info.file_alignment = header.file_alignment;
  info.arena_bytes = header.arena_bytes;
  info.arena_alignment = header.arena_alignment;
  info.target = target_name(header.target_id);
  for (uint32_t i = 0; i < view.section_count(); ++i) {
    const nk_file_section& section = view.section(i);
    info.sections.push_back(
        {section_name(section.kind), section.offset, section.bytes, section.count});
  }
  info.constants_bytes = view.find_section(NK_SECTION_CONSTANTS)->bytes;
  info.params_bytes = view.find_section(NK_SECTION_PARAMS)->bytes;
  if (const auto* tests = view.find_section(NK_SECTION_TESTS)) info.test_cases = tests->count;
  for (uint32_t i = 0; i < view.input_count(); ++i) {
    info.inputs.push_back(tensor_info(view, view.input(i)));
  }
  for (uint32_t i = 0; i < view.output_count(); ++i) {
    info.outputs.push_back(tensor_info(view, view.output(i)));
  }
  info.steps = step_infos(view);
  info.metadata = metadata_from_json(text_of(view, NK_SECTION_METADATA));
  info.plan_json = text_of(view, NK_SECTION_PLAN);
  info.certificate_json = text_of(view, NK_SECTION_CERTIFICATE);
  return info;
}

}  // namespace netkit
