// SPDX-License-Identifier: MIT
// Fuzzes the .nk verifier: what it accepts is walked, and every byte range that a step, tensor or
// case states is touched at both ends, under AddressSanitizer in exact blocks. An input that
// begins with 'N' is a file; with 'S', edits (word u16, value u32) to one step (u8) of the forged
// steps of tests/, which runs where it is accepted; any other is a list of edits (offset u16, value
// u8) to a good file. Checksums are forged, so that the rules themselves are tried.
#include <cstdio>

#include "forged_steps.h"
#include "runtime/executor.h"
#include "runtime/toy_program_test.h"

namespace {

using netkit::NkView;
using netkit::toy::ExactBlock;

volatile uint8_t sink;

void touch(const void* begin, uint32_t bytes) {
  if (bytes == 0) return;
  sink = static_cast<const uint8_t*>(begin)[0];
  sink = static_cast<const uint8_t*>(begin)[bytes - 1];
}

void touch_string(const NkView& view, uint32_t offset) {
  for (const char* c = view.string(offset); *c; ++c) sink = static_cast<uint8_t>(*c);
}

void walk_steps(const NkView& view, const ExactBlock& arena) {
  const nk_file_step* step = view.first_step();
  for (uint32_t i = 0; i < view.step_count(); ++i, step = NkView::next_step(step)) {
    touch(view.params(step), step->params_bytes);
    touch(arena.data() + step->scratch_offset, step->scratch_bytes);
    for (int a = 0; a < step->in_count + step->out_count; ++a) {
      const nk_file_arg& arg = NkView::args(step)[a];
      if (arg.place == NK_ARG_ABSENT) continue;
      touch(arg.place & NK_ARG_CONSTANT ? view.constants() + (arg.place & ~NK_ARG_CONSTANT)
                                        : arena.data() + arg.place,
            arg.bytes);
    }
  }
}

void walk(const NkView& view) {
  if (view.header().arena_bytes > (1u << 24)) return;
  const ExactBlock arena(view.header().arena_bytes, 16);
  for (uint32_t i = 0; i < view.input_count(); ++i) {
    touch(arena.data() + view.input(i).arena_offset, view.input(i).bytes);
    touch_string(view, view.input(i).name);
  }
  for (uint32_t i = 0; i < view.output_count(); ++i) {
    touch(arena.data() + view.output(i).arena_offset, view.output(i).bytes);
    touch_string(view, view.output(i).name);
  }
  walk_steps(view, arena);
  if (const nk_file_section* info = view.find_section(NK_SECTION_STEP_INFO)) {
    const auto* records = reinterpret_cast<const nk_file_step_info*>(view.payload(*info));
    for (uint32_t i = 0; i < info->count; ++i) {
      touch_string(view, records[i].kernel_name);
      touch_string(view, records[i].node_name);
    }
  }
  if (const nk_file_section* tests = view.find_section(NK_SECTION_TESTS)) {
    const auto* cases = reinterpret_cast<const nk_file_case*>(view.payload(*tests));
    for (uint32_t i = 0; i < tests->count; ++i) {
      touch(view.payload(*tests) + cases[i].data_offset, cases[i].data_bytes);
      touch_string(view, cases[i].name);
    }
  }
}

netkit::Bytes file_of(const uint8_t* data, size_t size) {
  if (size && data[0] == 'N') {
    const auto* bytes = reinterpret_cast<const std::byte*>(data);
    return netkit::Bytes(bytes, bytes + size);
  }
  static const netkit::Bytes good = netkit::write_nk(netkit::toy::program()).value();
  netkit::Bytes file = good;
  for (size_t i = 0; i + 3 <= size; i += 3) {
    file[(data[i] | data[i + 1] << 8) % file.size()] = static_cast<std::byte>(data[i + 2]);
  }
  return file;
}

void forge_step(const uint8_t* data, size_t size) {
  static std::vector<netkit::test::ForgedStep> steps = netkit::test::seed_steps();
  if (size == 0) return;
  netkit::test::ForgedStep& step = steps[data[0] % steps.size()];
  for (size_t i = 1; i + 6 <= size; i += 6) {
    const size_t word = data[i] | static_cast<size_t>(data[i + 1]) << 8;
    uint32_t value;
    std::memcpy(&value, data + i + 2, sizeof value);
    const size_t at = word % (step.words() + step.constant_words());
    if (at < step.words()) {
      step.set_word(at, value);
    } else {
      step.set_constant_word(at - step.words(), value);
    }
  }
  bool accepted = false;
  const std::string fault = step.load_and_run(accepted);
  step.restore();
  if (fault.empty()) return;
  std::fprintf(stderr, "%s\n", fault.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size && data[0] == 'S') {
    forge_step(data + 1, size - 1);
    return 0;
  }
  const ExactBlock file(file_of(data, size));
  for (int forged = 0; forged < 2; ++forged) {
    if (forged) netkit::toy::forge_checksums(file.data(), file.size());
    NkView view;
    if (view.open(file.data(), file.size()).ok() &&
        view.verify_structure(netkit::toy::kernels()).ok()) {
      walk(view);
    }
  }
  return 0;
}
