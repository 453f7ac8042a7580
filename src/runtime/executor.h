// SPDX-License-Identifier: MIT
// Executor: walks the steps of a .nk file in flash and calls their kernels. All its RAM is this
// object and the arena; nothing depends on what the arena held before.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/kernel_table.h"
#include "runtime/nk/nk_view.h"
#include "runtime/status.h"

namespace netkit {

class Executor {
 public:
  // `file`, `arena` and the table stay the caller's and in place. Refuses an arena that is
  // smaller than the file states (ARENA_TOO_SMALL) or not aligned as it asks (MISALIGNED); then,
  // and only then, view() is open although the executor is not loaded, so that a caller can tell
  // the need. Any failure unloads what was loaded before.
  Fault load(const void* file, size_t file_bytes, void* arena, size_t arena_bytes,
             KernelTable kernels, nk_check_t check = NK_CHECK_STRUCTURE);

  // State: bytes that live from one run to the next. Loading sets each to what the file states, as
  // reset() does. save_state writes state_bytes() bytes, the states one after the other in the
  // file's order; restore_state takes them back. Nothing happens before load.
  void reset();
  uint32_t state_bytes() const;
  void save_state(void* to) const;
  void restore_state(const void* from);

  // One inference. NOT_LOADED before load; UNKNOWN_KERNEL and CORRUPT can come only from a file
  // loaded with NK_CHECK_NONE.
  Status run();

  // Called after every step; `outputs` are its out_count addresses.
  using Hook = void (*)(void* user, uint32_t index, const nk_file_step& step, void* const* outputs);
  Status run(Hook hook, void* user);

  // The first `count` steps alone: what the next one would read stands in the arena then.
  Status run_first(uint32_t count, Hook hook = nullptr, void* user = nullptr) {
    return walk(count, hook, user);
  }

  bool is_loaded() const { return arena_ != nullptr; }
  const NkView& view() const { return view_; }
  // Where an argument of a step that stands in the arena is.
  void* argument_data(const nk_file_arg& arg) const { return arena_ + arg.place; }
  // index < count; nullptr when not loaded.
  void* input_data(uint32_t index) const { return place(view_.input(index)); }
  void* output_data(uint32_t index) const { return place(view_.output(index)); }

 private:
  void* place(const nk_file_tensor& tensor) const {
    return arena_ ? arena_ + tensor.arena_offset : nullptr;
  }
  struct Pointers;
  Status walk(uint32_t count, Hook hook, void* user);
  Status run_step(const nk_file_step& step, Pointers& pointers) const;

  NkView view_;
  KernelTable kernels_;
  uint8_t* arena_ = nullptr;
};

static_assert(sizeof(Executor) <= 128, "the interpreter's context has a fixed budget");

}  // namespace netkit
