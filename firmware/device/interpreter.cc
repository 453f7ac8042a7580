// SPDX-License-Identifier: MIT
// The interpreter as the harness's model: the marked stretch is the loading of a .nk file, or, with
// NETKIT_MEASURE_RUN, one inference. The runner makes the file (nk_file) and the table (nk_table).
#include "runtime/executor.h"

extern "C" {
#include "cpu.h"
#include "model.h"
#include "probe.h"
extern const unsigned char nk_file[];
extern const unsigned char nk_file_end[];
}

namespace netkit {
extern const KernelTable kMeasuredKernels;
}

namespace {

netkit::Executor executor;
alignas(16) unsigned char arena[NETKIT_ARENA_BYTES];

netkit::Fault load() {
  return executor.load(nk_file, static_cast<size_t>(nk_file_end - nk_file), arena, sizeof arena,
                       netkit::kMeasuredKernels, NETKIT_MEASURE_CHECK);
}

}  // namespace

extern "C" {

void fw_model_init(void) {}
size_t fw_model_inputs(void) { return 0; }
size_t fw_model_outputs(void) { return 0; }
fw_buffer fw_model_input(size_t) { return {nullptr, 0}; }
fw_buffer fw_model_output(size_t) { return {nullptr, 0}; }
fw_buffer fw_model_arena(void) { return {arena, sizeof arena}; }
fw_buffer fw_model_guarded(void) { return {nullptr, 0}; }
void fw_model_reset(void) {}

int fw_model_run(void) {
#ifdef NETKIT_MEASURE_RUN
  if (!load().ok()) return 1;
  fw_stack_paint();
  cpu_mark_begin();
  const int status = executor.run();
  cpu_mark_end();
#else
  fw_stack_paint();
  cpu_mark_begin();
  const int status = load().status;
  cpu_mark_end();
#endif
  return status;
}

}  // extern "C"
