// SPDX-License-Identifier: MIT
// The verifier: what must hold before a step of the file may run. Sums are of values below 2^31
// and 2^32 and are made in 64 bits where they could wrap.
#include "base/dtype.h"
#include "ops/common/fit.h"
#include "runtime/nk/crc32.h"
#include "runtime/nk/nk_view.h"

namespace netkit {
namespace {

constexpr uint8_t kElementBits[] = {0,
#define NK_X(name, value, text, bits) bits,
                                    NK_DTYPES(NK_X)
#undef NK_X
};

Fault corrupt(nk_section_kind section, uint32_t index) {
  return {NK_STATUS_CORRUPT, static_cast<uint8_t>(section), static_cast<uint16_t>(index)};
}

bool is_inside(uint32_t offset, uint32_t bytes, uint32_t limit) {
  return offset <= limit && bytes <= limit - offset;
}

bool is_aligned(uint32_t offset, uint32_t alignment) {
  return (offset & (alignment - 1)) == 0;
}

bool is_good_tensor(const nk_file_tensor& tensor, const nk_file_header& header,
                    uint32_t string_bytes) {
  if (tensor.dtype >= sizeof kElementBits || kElementBits[tensor.dtype] == 0 ||
      tensor.rank > NK_FILE_MAX_RANK || tensor.reserved != 0 || tensor.name >= string_bytes) {
    return false;
  }
  uint64_t elements = 1;
  for (uint32_t i = 0; i < NK_FILE_MAX_RANK; ++i) {
    if (i >= tensor.rank && tensor.dims[i] != 1) return false;
    elements *= tensor.dims[i];
    if (elements > NK_FILE_MAX_PLACE) return false;
  }
  const uint64_t bytes = (elements * kElementBits[tensor.dtype] + 7) / 8;
  return bytes == tensor.bytes && is_aligned(tensor.arena_offset, header.arena_alignment) &&
         is_inside(tensor.arena_offset, tensor.bytes, header.arena_bytes);
}

// What the walk over the steps needs to know, gathered once.
struct Limits {
  uint32_t arena_bytes, arena_alignment, scratch_alignment;
  uint32_t constant_bytes, params_bytes;
  const uint8_t* constants;
};

bool is_good_arg(const nk_file_arg& arg, bool is_input, const Limits& limits) {
  if (arg.place == NK_ARG_ABSENT) return is_input && arg.bytes == 0;
  if (arg.place & NK_ARG_CONSTANT) {
    const uint32_t offset = arg.place & ~NK_ARG_CONSTANT;
    return is_input && is_aligned(offset, NK_FILE_CONSTANT_ALIGN) &&
           is_inside(offset, arg.bytes, limits.constant_bytes);
  }
  return is_aligned(arg.place, limits.arena_alignment) &&
         is_inside(arg.place, arg.bytes, limits.arena_bytes);
}

bool overlap(uint32_t a, uint32_t a_bytes, uint32_t b, uint32_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes && a_bytes != 0 && b_bytes != 0;
}

// Scratch and outputs each have memory of their own, apart from what the kernel allows.
bool are_apart(const nk_file_step& step, const nk_file_arg* args, bool from_inputs) {
  const uint32_t count = step.in_count + step.out_count;
  for (uint32_t i = 0; i < count; ++i) {
    if (args[i].place & NK_ARG_CONSTANT) continue;  // or absent
    if (overlap(args[i].place, args[i].bytes, step.scratch_offset, step.scratch_bytes)) {
      return false;
    }
    const uint32_t first_output = i < step.in_count ? step.in_count : i + 1;
    if (i < step.in_count && !from_inputs) continue;
    for (uint32_t o = first_output; o < count; ++o) {
      if (overlap(args[i].place, args[i].bytes, args[o].place, args[o].bytes)) return false;
    }
  }
  return true;
}

// The parameters against the sizes, by the kernel's own check. Steps that write nothing are not
// run.
bool is_good_block(const nk_file_step& step, const void* params, const nk_kernel_entry& kernel,
                   const Limits& limits) {
  const nk_file_arg* args = NkView::args(&step);
  bool writes = false;
  for (uint32_t i = 0; i < step.out_count; ++i) {
    writes = writes || args[step.in_count + i].bytes != 0;
  }
  if (!writes) return true;
  const nk_fit fit = {params,
                      args,
                      args + step.in_count,
                      limits.constants,
                      limits.arena_alignment,
                      step.scratch_offset,
                      step.scratch_bytes,
                      step.in_count,
                      step.out_count,
                      kernel.in_elem,
                      kernel.out_elem};
  const int verdict = kernel.fit(&fit);
  return verdict != NK_FIT_REFUSED && are_apart(step, args, verdict == NK_FIT_APART);
}

Status check_step(const NkView& view, const nk_file_step& step, KernelTable kernels,
                  const Limits& limits) {
  const nk_kernel_entry* kernel = find_entry(kernels, step.kernel_id);
  if (!kernel) return NK_STATUS_UNKNOWN_KERNEL;
  if (!kernel->fit) return NK_STATUS_BAD_ARGUMENT;  // a table of the caller's
  const bool good_params = step.params_bytes == kernel->params_bytes &&
                           is_aligned(step.params_offset, NK_FILE_PARAMS_ALIGN) &&
                           is_inside(step.params_offset, step.params_bytes, limits.params_bytes);
  const bool good_scratch =
      step.scratch_bytes == 0
          ? step.scratch_offset == 0
          : is_aligned(step.scratch_offset, limits.scratch_alignment) &&
                is_inside(step.scratch_offset, step.scratch_bytes, limits.arena_bytes);
  if (!good_params || !good_scratch) return NK_STATUS_CORRUPT;
  const nk_file_arg* args = NkView::args(&step);
  for (uint32_t i = 0; i < step.in_count; ++i) {
    if (!is_good_arg(args[i], true, limits)) return NK_STATUS_CORRUPT;
  }
  for (uint32_t i = 0; i < step.out_count; ++i) {
    if (!is_good_arg(args[step.in_count + i], false, limits)) return NK_STATUS_CORRUPT;
  }
  return is_good_block(step, view.params(&step), *kernel, limits) ? NK_STATUS_OK
                                                                  : NK_STATUS_BAD_PARAMS;
}

Fault check_steps(const NkView& view, const nk_file_section& steps, KernelTable kernels,
                  const Limits& limits) {
  if (steps.count > NK_FILE_MAX_STEPS) return corrupt(NK_SECTION_STEPS, 0);
  const nk_file_step* step = view.first_step();
  uint32_t left = steps.bytes;
  for (uint32_t i = 0; i < steps.count; ++i) {
    if (left < sizeof *step) return corrupt(NK_SECTION_STEPS, i);
    const uint32_t arg_count = step->in_count + step->out_count;
    const uint32_t bytes = static_cast<uint32_t>(sizeof *step + arg_count * sizeof(nk_file_arg));
    if (arg_count > NK_MAX_STEP_ARGS || step->out_count == 0 || left < bytes) {
      return corrupt(NK_SECTION_STEPS, i);
    }
    if (const Status status = check_step(view, *step, kernels, limits)) {
      return {static_cast<nk_status8>(status), NK_SECTION_STEPS, static_cast<uint16_t>(i)};
    }
    left -= bytes;
    step = NkView::next_step(step);
  }
  return left == 0 ? Fault{} : corrupt(NK_SECTION_STEPS, steps.count);
}

// Bytes of the data of a case: inputs, then outputs, each from a multiple of 16.
uint64_t case_data_bytes(const NkView& view) {
  uint64_t bytes = 0;
  const auto add = [&bytes](const nk_file_tensor& tensor) {
    bytes = ((bytes + (NK_FILE_SECTION_ALIGN - 1)) & ~uint64_t{NK_FILE_SECTION_ALIGN - 1}) +
            tensor.bytes;
  };
  for (uint32_t i = 0; i < view.input_count(); ++i) add(view.input(i));
  for (uint32_t i = 0; i < view.output_count(); ++i) add(view.output(i));
  return bytes;
}

Fault check_tests(const NkView& view, uint32_t string_bytes) {
  const nk_file_section* tests = view.find_section(NK_SECTION_TESTS);
  if (!tests) return {};
  if (tests->count > NK_FILE_MAX_TESTS ||
      tests->count * uint64_t{sizeof(nk_file_case)} > tests->bytes) {
    return corrupt(NK_SECTION_TESTS, 0);
  }
  const auto* cases = reinterpret_cast<const nk_file_case*>(view.payload(*tests));
  const uint64_t data_bytes = case_data_bytes(view);
  for (uint32_t i = 0; i < tests->count; ++i) {
    const nk_file_case& one = cases[i];
    if (one.name >= string_bytes || one.data_bytes != data_bytes ||
        !is_aligned(one.data_offset, NK_FILE_SECTION_ALIGN) ||
        !is_inside(one.data_offset, one.data_bytes, tests->bytes)) {
      return corrupt(NK_SECTION_TESTS, i);
    }
  }
  return {};
}

Fault check_step_info(const NkView& view, uint32_t string_bytes) {
  const nk_file_section* info = view.find_section(NK_SECTION_STEP_INFO);
  if (!info) return {};
  if (info->count != view.step_count()) return corrupt(NK_SECTION_STEP_INFO, 0);
  const auto* records = reinterpret_cast<const nk_file_step_info*>(view.payload(*info));
  for (uint32_t i = 0; i < info->count; ++i) {
    if (records[i].kernel_name >= string_bytes || records[i].node_name >= string_bytes) {
      return corrupt(NK_SECTION_STEP_INFO, i);
    }
  }
  return {};
}

Fault check_tensors(const NkView& view, uint32_t string_bytes) {
  if (view.input_count() > NK_FILE_MAX_INOUTS) return corrupt(NK_SECTION_INPUTS, 0);
  if (view.output_count() > NK_FILE_MAX_INOUTS || view.output_count() == 0) {
    return corrupt(NK_SECTION_OUTPUTS, 0);
  }
  for (uint32_t i = 0; i < view.input_count(); ++i) {
    if (!is_good_tensor(view.input(i), view.header(), string_bytes)) {
      return corrupt(NK_SECTION_INPUTS, i);
    }
  }
  for (uint32_t i = 0; i < view.output_count(); ++i) {
    if (!is_good_tensor(view.output(i), view.header(), string_bytes)) {
      return corrupt(NK_SECTION_OUTPUTS, i);
    }
  }
  return {};
}

Fault check_states(const NkView& view, uint32_t string_bytes) {
  if (view.state_count() > NK_FILE_MAX_STATES) return corrupt(NK_SECTION_STATES, 0);
  const nk_file_header& header = view.header();
  const uint32_t constant_bytes = view.find_section(NK_SECTION_CONSTANTS)->bytes;
  for (uint32_t i = 0; i < view.state_count(); ++i) {
    const nk_file_state& state = view.state(i);
    const bool has_content =
        state.initial == NK_ARG_ABSENT || is_inside(state.initial, state.bytes, constant_bytes);
    if (state.name >= string_bytes || !has_content ||
        !is_aligned(state.arena_offset, header.arena_alignment) ||
        !is_inside(state.arena_offset, state.bytes, header.arena_bytes)) {
      return corrupt(NK_SECTION_STATES, i);
    }
  }
  return {};
}

// Sections with all of the `flags`.
Fault check_crcs(const NkView& view, uint32_t flags) {
  for (uint32_t i = 0; i < view.section_count(); ++i) {
    const nk_file_section& section = view.section(i);
    if ((section.flags & flags) != flags) continue;
    if (crc32(view.payload(section), section.bytes) != section.crc32) {
      return {NK_STATUS_BAD_CRC, static_cast<uint8_t>(section.kind), 0};
    }
  }
  return {};
}

}  // namespace

Fault NkView::verify_structure(KernelTable kernels) const {
  if (!is_open()) return {NK_STATUS_NOT_LOADED};
  if (!is_sorted(kernels.entries, kernels.count)) return {NK_STATUS_BAD_ARGUMENT};
  constexpr uint32_t kFirst = offsetof(nk_file_header, file_bytes);
  const uint32_t table_end =
      header().header_bytes + section_count() * static_cast<uint32_t>(sizeof(nk_file_section));
  if (crc32(file_ + kFirst, table_end - kFirst) != header().header_crc32) {
    return {NK_STATUS_BAD_CRC};
  }
  if (const Fault fault = check_crcs(*this, NK_SECTION_CONTROL); !fault.ok()) return fault;
  const nk_file_section& strings = *find_section(NK_SECTION_STRINGS);
  if (strings.bytes == 0 || payload(strings)[strings.bytes - 1] != 0) {
    return corrupt(NK_SECTION_STRINGS, 0);
  }
  if (const Fault fault = check_tensors(*this, strings.bytes); !fault.ok()) return fault;
  if (const Fault fault = check_states(*this, strings.bytes); !fault.ok()) return fault;
  const uint32_t alignment = header().arena_alignment;
  const Limits limits = {header().arena_bytes,
                         alignment,
                         alignment < NK_FILE_SCRATCH_ALIGN ? alignment : NK_FILE_SCRATCH_ALIGN,
                         find_section(NK_SECTION_CONSTANTS)->bytes,
                         find_section(NK_SECTION_PARAMS)->bytes,
                         constants()};
  const nk_file_section& steps = *find_section(NK_SECTION_STEPS);
  if (const Fault fault = check_steps(*this, steps, kernels, limits); !fault.ok()) return fault;
  if (const Fault fault = check_step_info(*this, strings.bytes); !fault.ok()) return fault;
  return check_tests(*this, strings.bytes);
}

Fault NkView::verify_payload() const {
  return is_open() ? check_crcs(*this, 0) : Fault{NK_STATUS_NOT_LOADED};
}

}  // namespace netkit
