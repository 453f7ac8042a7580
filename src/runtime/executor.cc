// SPDX-License-Identifier: MIT
// Loading and running.
#include "runtime/executor.h"

#include <string.h>

#include "ops/common/kernel.h"

namespace netkit {

// Inputs and outputs of the step at hand share one array on the stack.
struct Executor::Pointers {
  const void* all[NK_MAX_STEP_ARGS];
};

Fault Executor::load(const void* file, size_t file_bytes, void* arena, size_t arena_bytes,
                     KernelTable kernels, nk_check_t check) {
  arena_ = nullptr;
  NkView& view = view_;
  Fault fault = view.open(file, file_bytes);
  // Checksums first: damage is then called damage, wherever it struck.
  if (fault.ok() && check >= NK_CHECK_ALL) fault = view.verify_payload();
  if (fault.ok() && check >= NK_CHECK_STRUCTURE) fault = view.verify_structure(kernels);
  if (!fault.ok()) {
    view = NkView();
    return fault;
  }
  const nk_file_header& header = view.header();
  if (arena_bytes < header.arena_bytes) return {NK_STATUS_ARENA_TOO_SMALL};
  if (!arena) return {NK_STATUS_BAD_ARGUMENT};
  if (reinterpret_cast<uintptr_t>(arena) & (header.arena_alignment - 1)) {
    return {NK_STATUS_MISALIGNED};
  }
  kernels_ = kernels;
  arena_ = static_cast<uint8_t*>(arena);
  reset();
  return {};
}

void Executor::reset() {
  for (uint32_t i = 0; is_loaded() && i < view_.state_count(); ++i) {
    const nk_file_state& state = view_.state(i);
    if (state.initial == NK_ARG_ABSENT) {
      memset(arena_ + state.arena_offset, 0, state.bytes);
    } else {
      memcpy(arena_ + state.arena_offset, view_.constants() + state.initial, state.bytes);
    }
  }
}

uint32_t Executor::state_bytes() const {
  uint32_t bytes = 0;
  for (uint32_t i = 0; is_loaded() && i < view_.state_count(); ++i) bytes += view_.state(i).bytes;
  return bytes;
}

void Executor::save_state(void* to) const {
  auto* at = static_cast<uint8_t*>(to);
  for (uint32_t i = 0; is_loaded() && i < view_.state_count(); ++i) {
    const nk_file_state& state = view_.state(i);
    memcpy(at, arena_ + state.arena_offset, state.bytes);
    at += state.bytes;
  }
}

void Executor::restore_state(const void* from) {
  const auto* at = static_cast<const uint8_t*>(from);
  for (uint32_t i = 0; is_loaded() && i < view_.state_count(); ++i) {
    const nk_file_state& state = view_.state(i);
    memcpy(arena_ + state.arena_offset, at, state.bytes);
    at += state.bytes;
  }
}

Status Executor::run_step(const nk_file_step& step, Pointers& pointers) const {
  const nk_kernel_entry* kernel = find_entry(kernels_, step.kernel_id);
  if (!kernel) return NK_STATUS_UNKNOWN_KERNEL;
  const uint32_t count = step.in_count + step.out_count;
  if (count > NK_MAX_STEP_ARGS) return NK_STATUS_CORRUPT;
  const nk_file_arg* args = NkView::args(&step);
  bool writes = false;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = args[i].place;
    pointers.all[i] = at == NK_ARG_ABSENT    ? nullptr
                      : at & NK_ARG_CONSTANT ? view_.constants() + (at & ~NK_ARG_CONSTANT)
                                             : arena_ + at;
    writes = writes || (i >= step.in_count && args[i].bytes != 0);
  }
  if (!writes) return NK_STATUS_OK;  // nothing to do; such a step's parameters are not checked
  // Outputs stand in the arena, never in the constants (verified), so the cast gives nothing
  // away that was const.
  auto* const* out = const_cast<void* const*>(pointers.all + step.in_count);
  kernel->run(view_.params(&step), pointers.all, out,
              step.scratch_bytes ? arena_ + step.scratch_offset : nullptr);
  return NK_STATUS_OK;
}

Status Executor::run() {
  return run(nullptr, nullptr);
}

Status Executor::run(Hook hook, void* user) {
  return walk(UINT32_MAX, hook, user);
}

Status Executor::walk(uint32_t count, Hook hook, void* user) {
  if (!is_loaded()) return NK_STATUS_NOT_LOADED;
  Pointers pointers;
  const nk_file_step* step = view_.first_step();
  const uint32_t steps = count < view_.step_count() ? count : view_.step_count();
  for (uint32_t i = 0; i < steps; ++i, step = NkView::next_step(step)) {
    if (const Status status = run_step(*step, pointers)) return status;
    if (hook) hook(user, i, *step, const_cast<void* const*>(pointers.all + step->in_count));
  }
  return NK_STATUS_OK;
}

}  // namespace netkit
