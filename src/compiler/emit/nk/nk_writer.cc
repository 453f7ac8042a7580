// SPDX-License-Identifier: MIT
// Program → .nk: every record, checked against the limits of the format as it is made.
#include "compiler/emit/nk/nk_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "compiler/emit/nk/nk_metadata.h"
#include "compiler/emit/nk/nk_sections.h"
#include "netkit/kernels.hpp"

namespace netkit {
namespace {

bool is_alignment(int64_t value) {
  return value > 0 && value <= NK_FILE_MAX_ALIGN && std::has_single_bit(uint64_t(value));
}

// True when [offset, offset + bytes) lies in [0, limit); limit is at most 2^31.
bool is_inside(int64_t offset, int64_t bytes, int64_t limit) {
  return offset >= 0 && bytes >= 0 && offset <= limit && bytes <= limit - offset;
}

class NkWriter {
 public:
  NkWriter(const Program& program, const NkWriteOptions& options)
      : program_(program), schedule_(program.schedule), options_(options) {}

  Result<Bytes> write() {
    NK_TRY(check_memory());
    NK_TRY(add_constants());
    for (const InOut& input : schedule_.inputs) NK_TRY(add_tensor(input, inputs_));
    for (const InOut& output : schedule_.outputs) NK_TRY(add_tensor(output, outputs_));
    for (const ScheduleState& state : schedule_.states) NK_TRY(add_state(state));
    for (const PlacedStep& placed : program_.order) NK_TRY(add_step(placed));
    if (options_.tests) NK_TRY(add_tests());
    return assemble();
  }

 private:
  Result<void> check_memory();
  Result<void> add_constants();
  Result<void> add_tensor(const InOut& tensor, SectionBytes& to);
  Result<void> add_state(const ScheduleState& state);
  Result<void> add_step(const PlacedStep& placed);
  Result<nk_file_arg> arg_of(const ScheduleArg& arg, bool is_input, const std::string& step);
  Result<void> add_tests();
  Result<void> add_case_tensors(const TestCase& test, const std::vector<Bytes>& values,
                                const std::vector<int64_t>& sizes, const char* what);
  Result<Bytes> assemble();

  const Program& program_;
  const Schedule& schedule_;
  const NkWriteOptions options_;
  StringTable strings_;
  SectionBytes inputs_, outputs_, states_, steps_, params_, constants_, step_info_, tests_;
  std::vector<uint32_t> constant_places_;
  std::vector<int64_t> input_bytes_, output_bytes_;
  uint32_t file_alignment_ = NK_FILE_SECTION_ALIGN;
};

Result<void> NkWriter::check_memory() {
  if (program_.arena_bytes < 0 || program_.arena_bytes > NK_FILE_MAX_PLACE) {
    return bad_input(
        fmt::format("an arena of {} bytes does not fit a .nk file (2 GiB)", program_.arena_bytes));
  }
  if (!is_alignment(program_.arena_alignment)) {
    return bad_input(fmt::format("arena alignment {} is not a power of two up to {}",
                                 program_.arena_alignment, NK_FILE_MAX_ALIGN));
  }
  if (program_.buffer_offsets.size() != schedule_.buffers.size()) {
    return bad_input("the plan does not place every buffer");
  }
  for (size_t i = 0; i < schedule_.buffers.size(); ++i) {
    const Buffer& buffer = schedule_.buffers[i];
    const int64_t offset = program_.buffer_offsets[i];
    if (!is_inside(offset, buffer.bytes, program_.arena_bytes) ||
        offset % program_.arena_alignment != 0) {
      return bad_input(
          fmt::format("offset {} of {} bytes lies outside the arena of {} bytes or "
                      "is not aligned to {}",
                      offset, buffer.bytes, program_.arena_bytes, program_.arena_alignment),
          buffer.name);
    }
  }
  if (program_.order.size() > NK_FILE_MAX_STEPS) {
    return bad_input(fmt::format("{} steps do not fit a .nk file ({})", program_.order.size(),
                                 NK_FILE_MAX_STEPS));
  }
  if (schedule_.inputs.size() > NK_FILE_MAX_INOUTS || schedule_.outputs.empty() ||
      schedule_.outputs.size() > NK_FILE_MAX_INOUTS) {
    return bad_input(
        fmt::format("{} inputs and {} outputs do not fit a .nk file (at most {} of "
                    "each, at least one output)",
                    schedule_.inputs.size(), schedule_.outputs.size(), NK_FILE_MAX_INOUTS));
  }
  return {};
}

Result<void> NkWriter::add_constants() {
  for (const Constant& constant : schedule_.constants) {
    if (!is_alignment(constant.alignment) || !constant.data) {
      return bad_input(
          fmt::format("constant without data or with alignment {}", constant.alignment),
          constant.name);
    }
    const uint32_t alignment = std::max(constant.alignment, NK_FILE_CONSTANT_ALIGN);
    file_alignment_ = std::max(file_alignment_, alignment);
    const uint64_t place = constants_.align(alignment);
    if (place + constant.data->size() > NK_FILE_MAX_PLACE) {
      return bad_input("the weights do not fit a .nk file (2 GiB)", constant.name,
                       "use smaller weights (int8)");
    }
    constant_places_.push_back(static_cast<uint32_t>(place));
    constants_.add(constant.data->data(), constant.data->size());
  }
  return {};
}

Result<void> NkWriter::add_tensor(const InOut& tensor, SectionBytes& to) {
  const TensorType& type = tensor.type;
  if (type.dims.size() > NK_FILE_MAX_RANK) {
    return bad_input(
        fmt::format("rank {} does not fit a .nk file ({})", type.dims.size(), NK_FILE_MAX_RANK),
        tensor.name);
  }
  if (type.quant.scale.size() > 1) {
    return bad_input("an input or output quantised per channel is not supported", tensor.name);
  }
  NK_ASSIGN(const int64_t bytes, byte_count(type.dtype, type.dims));
  const auto buffer = static_cast<size_t>(tensor.buffer);
  if (buffer >= schedule_.buffers.size() || bytes > schedule_.buffers[buffer].bytes) {
    return bad_input("the tensor has no buffer of its size", tensor.name);
  }
  nk_file_tensor record = {};
  record.name = strings_.intern(tensor.name);
  record.dtype = static_cast<uint8_t>(type.dtype);
  record.rank = static_cast<uint8_t>(type.dims.size());
  record.arena_offset = static_cast<uint32_t>(program_.buffer_offsets[buffer]);
  record.bytes = static_cast<uint32_t>(bytes);
  std::ranges::fill(record.dims, 1u);
  for (size_t i = 0; i < type.dims.size(); ++i) {
    if (type.dims[i] < 0 || type.dims[i] > NK_FILE_MAX_PLACE) {
      return bad_input(fmt::format("dimension {} does not fit a .nk file", type.dims[i]),
                       tensor.name);
    }
    record.dims[i] = static_cast<uint32_t>(type.dims[i]);
  }
  if (!type.quant.empty()) {
    const int64_t zero_point = type.quant.zero_point.empty() ? 0 : type.quant.zero_point[0];
    if (!std::in_range<int32_t>(zero_point)) {
      return bad_input(fmt::format("zero point {} does not fit 32 bits", zero_point), tensor.name);
    }
    record.scale = type.quant.scale[0];
    record.zero_point = static_cast<int32_t>(zero_point);
  }
  to.add_record(record);
  (&to == &inputs_ ? input_bytes_ : output_bytes_).push_back(bytes);
  return {};
}

Result<void> NkWriter::add_state(const ScheduleState& state) {
  const auto buffer = static_cast<size_t>(state.buffer);
  const auto initial = static_cast<size_t>(state.initial);
  const bool all_zero = state.initial < 0;
  if (schedule_.states.size() > NK_FILE_MAX_STATES || buffer >= schedule_.buffers.size() ||
      (!all_zero && initial >= constant_places_.size())) {
    return bad_input(
        fmt::format("more than {} states, or one without a buffer", NK_FILE_MAX_STATES),
        state.name);
  }
  states_.add_record(nk_file_state{strings_.intern(state.name),
                                   static_cast<uint32_t>(program_.buffer_offsets[buffer]),
                                   static_cast<uint32_t>(schedule_.buffers[buffer].bytes),
                                   all_zero ? NK_ARG_ABSENT : constant_places_[initial]});
  return {};
}

Result<nk_file_arg> NkWriter::arg_of(const ScheduleArg& arg, bool is_input,
                                     const std::string& step) {
  if (arg.buffer >= 0) {
    const auto at = static_cast<size_t>(arg.buffer);
    if (at >= schedule_.buffers.size()) return bad_input("argument without a buffer", step);
    return nk_file_arg{static_cast<uint32_t>(program_.buffer_offsets[at]),
                       static_cast<uint32_t>(schedule_.buffers[at].bytes)};
  }
  if (!is_input) return bad_input("a step's output has no buffer", step);
  if (arg.constant < 0) return nk_file_arg{NK_ARG_ABSENT, 0};
  const auto at = static_cast<size_t>(arg.constant);
  if (at >= constant_places_.size()) return bad_input("argument without a constant", step);
  return nk_file_arg{constant_places_[at] | NK_ARG_CONSTANT,
                     static_cast<uint32_t>(schedule_.constants[at].data->size())};
}

Result<void> NkWriter::add_step(const PlacedStep& placed) {
  const auto at = static_cast<size_t>(placed.step);
  if (at >= schedule_.steps.size() || !schedule_.steps[at].row) {
    return bad_input(fmt::format("the order names step {}, which has no kernel", placed.step));
  }
  const ScheduleStep& step = schedule_.steps[at];
  if (step.inputs.size() + step.outputs.size() > NK_MAX_STEP_ARGS || step.outputs.empty()) {
    return bad_input(fmt::format("{} inputs and {} outputs do not fit a step ({} in all, at least "
                                 "one output)",
                                 step.inputs.size(), step.outputs.size(), NK_MAX_STEP_ARGS),
                     step.name);
  }
  if (step.params.size() > std::numeric_limits<uint16_t>::max()) {
    return bad_input(fmt::format("{} bytes of parameters", step.params.size()), step.name);
  }
  const int64_t alignment = std::min<int64_t>(program_.arena_alignment, NK_FILE_SCRATCH_ALIGN);
  if (placed.scratch_bytes != 0 &&
      (!is_inside(placed.scratch_offset, placed.scratch_bytes, program_.arena_bytes) ||
       placed.scratch_offset % alignment != 0)) {
    return bad_input(fmt::format("scratch of {} bytes at {} lies outside the arena or is not "
                                 "aligned to {}",
                                 placed.scratch_bytes, placed.scratch_offset, alignment),
                     step.name);
  }
  nk_file_step record = {};
  record.kernel_id = kernel_id(std::string(step.row->symbol).c_str());
  record.params_offset = static_cast<uint32_t>(params_.align(NK_FILE_PARAMS_ALIGN));
  record.params_bytes = static_cast<uint16_t>(step.params.size());
  record.in_count = static_cast<uint8_t>(step.inputs.size());
  record.out_count = static_cast<uint8_t>(step.outputs.size());
  record.scratch_bytes = static_cast<uint32_t>(placed.scratch_bytes);
  record.scratch_offset = record.scratch_bytes ? static_cast<uint32_t>(placed.scratch_offset) : 0;
  params_.add(step.params.data(), step.params.size());
  steps_.add_record(record);
  for (const ScheduleArg& arg : step.inputs) {
    NK_ASSIGN(const nk_file_arg out, arg_of(arg, true, step.name));
    steps_.add_record(out);
  }
  for (const ScheduleArg& arg : step.outputs) {
    NK_ASSIGN(const nk_file_arg out, arg_of(arg, false, step.name));
    steps_.add_record(out);
  }
  if (options_.step_info) {
    step_info_.add_record(nk_file_step_info{
        strings_.intern(step.row->symbol), strings_.intern(step.name),
        static_cast<uint32_t>(step.macs), static_cast<uint32_t>(step.macs >> 32)});
  }
  return {};
}

Result<void> NkWriter::add_case_tensors(const TestCase& test, const std::vector<Bytes>& values,
                                        const std::vector<int64_t>& sizes, const char* what) {
  if (values.size() != sizes.size()) {
    return bad_input(
        fmt::format("test case has {} {}s, the model {}", values.size(), what, sizes.size()),
        test.name);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].size() != static_cast<uint64_t>(sizes[i])) {
      return bad_input(fmt::format("test case's {} {} has {} bytes, the model's {}", what, i,
                                   values[i].size(), sizes[i]),
                       test.name);
    }
    tests_.align(NK_FILE_SECTION_ALIGN);
    tests_.add(values[i].data(), values[i].size());
  }
  return {};
}

Result<void> NkWriter::add_tests() {
  if (program_.tests.size() > NK_FILE_MAX_TESTS) {
    return bad_input(fmt::format("{} test cases do not fit a .nk file ({})", program_.tests.size(),
                                 NK_FILE_MAX_TESTS));
  }
  for (size_t i = 0; i < program_.tests.size(); ++i) tests_.add_record(nk_file_case{});
  for (size_t i = 0; i < program_.tests.size(); ++i) {
    const TestCase& test = program_.tests[i];
    const uint64_t begin = tests_.align(NK_FILE_SECTION_ALIGN);
    NK_TRY(add_case_tensors(test, test.inputs, input_bytes_, "input"));
    NK_TRY(add_case_tensors(test, test.outputs, output_bytes_, "output"));
    if (tests_.size() > std::numeric_limits<uint32_t>::max()) {
      return bad_input("the test cases do not fit a .nk file (4 GiB)", test.name);
    }
    tests_.set_record(
        i * sizeof(nk_file_case),
        nk_file_case{strings_.intern(test.name), test.tolerance, static_cast<uint32_t>(begin),
                     static_cast<uint32_t>(tests_.size() - begin)});
  }
  return {};
}

Result<Bytes> NkWriter::assemble() {
  const auto text = [](const std::string& from) {
    SectionBytes bytes;
    bytes.add(from.data(), from.size());
    return bytes;
  };
  const SectionBytes metadata = text(metadata_to_json(program_.metadata));
  const SectionBytes plan = text(options_.plan ? program_.plan_json : "");
  const SectionBytes certificate = text(options_.plan ? program_.certificate_json : "");
  const auto step_count = static_cast<uint32_t>(program_.order.size());
  const auto count = [](size_t value) { return static_cast<uint32_t>(value); };

  std::vector<OutSection> sections = {
      {NK_SECTION_INPUTS, &inputs_.bytes(), count(schedule_.inputs.size())},
      {NK_SECTION_OUTPUTS, &outputs_.bytes(), count(schedule_.outputs.size())},
      {NK_SECTION_STEPS, &steps_.bytes(), step_count},
      {NK_SECTION_PARAMS, &params_.bytes(), step_count},
      {NK_SECTION_STRINGS, &strings_.section().bytes(), strings_.count()},
      {NK_SECTION_CONSTANTS, &constants_.bytes(), count(schedule_.constants.size())},
  };
  const auto add_optional = [&sections](nk_section_kind kind, const SectionBytes& section,
                                        uint32_t records) {
    if (section.size()) sections.push_back({kind, &section.bytes(), records});
  };
  add_optional(NK_SECTION_STATES, states_, count(schedule_.states.size()));
  add_optional(NK_SECTION_STEP_INFO, step_info_, step_count);
  add_optional(NK_SECTION_METADATA, metadata, 0);
  add_optional(NK_SECTION_PLAN, plan, 0);
  add_optional(NK_SECTION_CERTIFICATE, certificate, 0);
  add_optional(NK_SECTION_TESTS, tests_, count(program_.tests.size()));

  nk_file_header header = {};
  header.target_id = kernel_id(schedule_.target.c_str());
  header.arena_bytes = static_cast<uint32_t>(program_.arena_bytes);
  header.arena_alignment = static_cast<uint32_t>(program_.arena_alignment);
  header.file_alignment = file_alignment_;
  return assemble_nk(header, sections);
}

}  // namespace

Result<Bytes> write_nk(const Program& program, const NkWriteOptions& options) {
  return NkWriter(program, options).write();
}

}  // namespace netkit
