// SPDX-License-Identifier: MIT
// The C face of the executor (netkit.h). nk_program_load stands in c_program_load.cc: it alone
// needs the table of all kernels.
#include <bit>

#include "base/dtype.h"
#include "netkit.h"
#include "runtime/capi/c_program.h"
#include "runtime/capi/c_status.h"

using netkit::Executor;

namespace {

constexpr size_t kMarkWord = sizeof(nk_program_t::storage) / sizeof(uint64_t) - 1;
constexpr uint64_t kMark = 0x9d3a6e6b5f707267u;  // load has filled the storage; chance is 2^-64

static_assert(sizeof(Executor) <= kMarkWord * sizeof(uint64_t));
static_assert(alignof(Executor) <= alignof(nk_program_t));
static_assert(NK_PROGRAM_MAX_RANK == NK_FILE_MAX_RANK);

bool is_loaded(const Executor* executor) {
  return executor && executor->is_loaded();
}

nk_dtype_t public_dtype(uint8_t dtype) {
  switch (dtype) {
    case NK_FLOAT32: return NK_DTYPE_FLOAT32;
    case NK_INT8: return NK_DTYPE_INT8;
    case NK_UINT8: return NK_DTYPE_UINT8;
    case NK_INT16: return NK_DTYPE_INT16;
    case NK_INT32: return NK_DTYPE_INT32;
    case NK_INT64: return NK_DTYPE_INT64;
    case NK_FLOAT16: return NK_DTYPE_FLOAT16;
    case NK_BOOL: return NK_DTYPE_BOOL;
    case NK_INT4: return NK_DTYPE_INT4;
    case NK_FLOAT64: return NK_DTYPE_FLOAT64;
    case NK_UINT16: return NK_DTYPE_UINT16;
    case NK_UINT32: return NK_DTYPE_UINT32;
    default: return NK_DTYPE_UINT64;
  }
}

void fill(const netkit::NkView& view, const nk_file_tensor& from, void* data,
          nk_program_tensor_t& to) {
  to.name = view.string(from.name);
  to.data = data;
  to.bytes = from.bytes;
  to.elements = 1;
  for (uint32_t i = 0; i < NK_FILE_MAX_RANK; ++i) {
    to.dims[i] = from.dims[i];
    to.elements *= from.dims[i];
  }
  to.dtype = public_dtype(from.dtype);
  to.rank = from.rank;
  to.scale = from.scale;
  to.zero_point = from.zero_point;
}

}  // namespace

namespace netkit {

Executor* executor_of(nk_program_t* program) {
  const bool marked = program && program->storage[kMarkWord] == kMark;
  return marked ? reinterpret_cast<Executor*>(program->storage) : nullptr;
}
const Executor* executor_of(const nk_program_t* program) {
  return executor_of(const_cast<nk_program_t*>(program));
}

}  // namespace netkit

using netkit::executor_of;

extern "C" {

nk_status_t nk_program_need(const void* file, size_t file_bytes, size_t* arena_bytes,
                            size_t* arena_alignment) {
  netkit::NkView view;
  const netkit::Fault fault = view.open(file, file_bytes);
  if (!fault.ok()) return netkit::public_status(fault.code());
  if (arena_bytes) *arena_bytes = view.header().arena_bytes;
  if (arena_alignment) *arena_alignment = view.header().arena_alignment;
  return NK_OK;
}

nk_status_t nk_program_load_with(nk_program_t* program, const void* file, size_t file_bytes,
                                 void* arena, size_t arena_bytes, const nk_kernel_entry* kernels,
                                 size_t kernel_count, nk_check_t check) {
  if (!program || (!kernels && kernel_count) || kernel_count > UINT32_MAX) {
    return NK_ERR_INVALID_ARGUMENT;
  }
  // The storage may hold anything before the first load.
  const netkit::KernelTable table = {kernels, static_cast<uint32_t>(kernel_count)};
  Executor executor;
  const netkit::Fault fault = executor.load(file, file_bytes, arena, arena_bytes, table, check);
  __builtin_memcpy(program->storage, &executor, sizeof executor);
  program->storage[kMarkWord] = kMark;
  return netkit::public_status(fault.code());
}

nk_status_t nk_program_run(nk_program_t* program) {
  if (!program) return NK_ERR_INVALID_ARGUMENT;
  Executor* executor = executor_of(program);
  return executor ? netkit::public_status(executor->run()) : NK_ERR_MODEL_NOT_LOADED;
}

uint32_t nk_program_input_count(const nk_program_t* program) {
  const Executor* executor = executor_of(program);
  return executor ? executor->view().input_count() : 0;
}

uint32_t nk_program_output_count(const nk_program_t* program) {
  const Executor* executor = executor_of(program);
  return executor ? executor->view().output_count() : 0;
}

nk_status_t nk_program_input(const nk_program_t* program, uint32_t index,
                             nk_program_tensor_t* tensor) {
  if (!program || !tensor) return NK_ERR_INVALID_ARGUMENT;
  const Executor* executor = executor_of(program);
  if (!is_loaded(executor)) return NK_ERR_MODEL_NOT_LOADED;
  if (index >= executor->view().input_count()) return NK_ERR_INVALID_ARGUMENT;
  fill(executor->view(), executor->view().input(index), executor->input_data(index), *tensor);
  return NK_OK;
}

nk_status_t nk_program_output(const nk_program_t* program, uint32_t index,
                              nk_program_tensor_t* tensor) {
  if (!program || !tensor) return NK_ERR_INVALID_ARGUMENT;
  const Executor* executor = executor_of(program);
  if (!is_loaded(executor)) return NK_ERR_MODEL_NOT_LOADED;
  if (index >= executor->view().output_count()) return NK_ERR_INVALID_ARGUMENT;
  fill(executor->view(), executor->view().output(index), executor->output_data(index), *tensor);
  return NK_OK;
}

size_t nk_program_arena_bytes(const nk_program_t* program) {
  const Executor* executor = executor_of(program);
  return executor && executor->view().is_open() ? executor->view().header().arena_bytes : 0;
}

size_t nk_program_arena_alignment(const nk_program_t* program) {
  const Executor* executor = executor_of(program);
  return executor && executor->view().is_open() ? executor->view().header().arena_alignment : 0;
}

}  // extern "C"
