// SPDX-License-Identifier: MIT
#include "runtime/loaded/loaded.h"

#include "netkit/kernels.hpp"
#include "runtime/capi/c_status.h"
#include "runtime/input_shape.h"

namespace netkit {
namespace {

constexpr uint32_t kSoftmax[] = {kernel_id("nk_softmax_f32_ref"), kernel_id("nk_softmax_s8_ref")};

const nk_file_step* last_step(const NkView& view) {
  const nk_file_step* step = view.first_step();
  for (uint32_t i = 0; i + 1 < view.step_count(); ++i) step = NkView::next_step(step);
  return view.step_count() == 0 ? nullptr : step;
}

// The last step where it is a softmax that makes the only result.
const nk_file_step* final_softmax(const Loaded& n) {
  const Executor* executor = executor_of(&n.program);
  const nk_file_step* step = executor == nullptr ? nullptr : last_step(executor->view());
  if (step == nullptr || n.results != 1) return nullptr;
  const bool softmax = step->kernel_id == kSoftmax[0] || step->kernel_id == kSoftmax[1];
  return softmax && (NkView::args(step)->place & NK_ARG_CONSTANT) == 0 ? step : nullptr;
}

uint32_t workspace_of(const NkView& view) {
  const nk_file_step* step = view.first_step();
  uint32_t most = 0;
  for (uint32_t i = 0; i < view.step_count(); ++i, step = NkView::next_step(step)) {
    most = step->scratch_bytes > most ? step->scratch_bytes : most;
  }
  return most;
}

const nk_file_step* omitted_softmax(const Loaded& n) {
  return n.omits_softmax ? final_softmax(n) : nullptr;
}

}  // namespace

Loaded& make_loaded(void* storage, Arena& arena) {
  __builtin_memset(storage, 0, sizeof(nk_model_t));
  auto* loaded = static_cast<Loaded*>(storage);
  loaded->arena = &arena;
  loaded->generation = arena.generation();
  loaded->mark = kLoadedMark;
  return *loaded;
}

uint32_t version_of(const void* data, size_t size) {
  uint32_t version = 0;
  if (data != nullptr && size >= 8 && __builtin_memcmp(data, "NKIT", 4) == 0) {
    __builtin_memcpy(&version, static_cast<const char*>(data) + 4, 4);
  }
  return version;
}

nk_status_t load_program(Loaded& n, const void* file, size_t size, Arena& arena,
                         KernelTable kernels) {
  size_t need = 0, alignment = 1;
  nk_status_t status = nk_program_need(file, size, &need, &alignment);
  if (status != NK_OK) return refuse(status, nk_status_string(status));
  const Arena::Mark mark = arena.mark();
  void* memory = arena.alloc(need, alignment);
  if (memory == nullptr) {
    return refuse_numbers(NK_ERR_ARENA_OVERFLOW, "the model needs {} B of arena, {} B remain", need,
                          arena.remaining());
  }
  status = kernels.count == 0
               ? nk_program_load(&n.program, file, size, memory, need)
               : nk_program_load_with(&n.program, file, size, memory, need, kernels.entries,
                                      kernels.count, NK_CHECK_STRUCTURE);
  if (status != NK_OK) {
    arena.release(mark);
    return refuse(status, nk_status_string(status));
  }
  nk_program_tensor_t input;
  n.ready = true;
  n.forward = forward_loaded;
  n.results = nk_program_output_count(&n.program);
  n.workspace_bytes = workspace_of(executor_of(&n.program)->view());
  n.quantized = nk_program_input(&n.program, 0, &input) == NK_OK &&
                input.dtype != NK_DTYPE_FLOAT32 && input.scale != 0.0f;
  return NK_OK;
}

nk_status_t load_version_5(Loaded& loaded, const void* file, size_t size, Arena& arena) {
  if (file == nullptr) return refuse(NK_ERR_INVALID_ARGUMENT, "no data");
  const uint32_t version = version_of(file, size);
  if (version == 3 || version == 4) {
    return refuse(NK_ERR_VERSION_MISMATCH,
                  "versions 3 and 4 are converted on a desktop: netkit compile OLD.nk -o NEW.nk");
  }
  const nk_status_t status = load_program(loaded, file, size, arena);
  return status == NK_OK ? arch_of(executor_of(&loaded.program)->view(), loaded.arch) : status;
}

size_t constants_bytes(const Loaded& n) {
  const Executor* executor = executor_of(&n.program);
  const nk_file_section* constants =
      executor != nullptr ? executor->view().find_section(NK_SECTION_CONSTANTS) : nullptr;
  return constants != nullptr ? constants->bytes : 0;
}

nk_status_t run_loaded(Loaded& n, Executor::Hook hook, void* user) {
  Executor* executor = executor_of(&n.program);
  if (executor == nullptr || !n.ready) {
    return refuse(NK_ERR_NOT_INITIALIZED, "the network has no activation buffers yet");
  }
  const uint32_t steps = executor->view().step_count() - (omitted_softmax(n) == nullptr ? 0u : 1u);
  const Status status = executor->run_first(steps, hook, user);
  if (status == NK_STATUS_OK) return NK_OK;
  return refuse(NK_ERR_MODEL_PARSE, nk_status_string(public_status(status)));
}

nk_status_t result_of(Loaded& n, uint32_t index, nk_program_tensor_t& tensor) {
  const nk_status_t status = nk_program_output(&n.program, index, &tensor);
  const nk_file_step* softmax = omitted_softmax(n);
  if (status != NK_OK || softmax == nullptr) return status;
  tensor.data = executor_of(&n.program)->argument_data(*NkView::args(softmax));
  tensor.scale = 0.0f;  // the file does not state that of the softmax's input
  tensor.zero_point = 0;
  return NK_OK;
}

nk_status_t set_input(Loaded& n, const nk_tensor_t* input) {
  nk_program_tensor_t to;
  if (nk_program_input(&n.program, 0, &to) != NK_OK || !n.ready) {
    return refuse(NK_ERR_NOT_INITIALIZED, "the network has no activation buffers yet");
  }
  if (nk_program_input_count(&n.program) != 1) {
    return refuse_numbers(NK_ERR_UNSUPPORTED_NETWORK,
                          "the network has {} inputs and forward sets one: use nk_model_run",
                          nk_program_input_count(&n.program));
  }
  if (input == nullptr || input->data == nullptr) {
    return refuse(NK_ERR_INVALID_ARGUMENT, "the input tensor is NULL or has no data");
  }
  if (input->dtype != to.dtype) {
    return refuse_numbers(NK_ERR_INVALID_ARGUMENT,
                          "the input tensor is of type {}, the network takes type {} (nk_dtype_t)",
                          input->dtype, to.dtype);
  }
  const uint32_t batch = to.rank == 4 && to.dims[0] == 1 ? 1 : 0;  // it need not be given
  const nk_status_t shape = check_shape(*input, to.dims + batch, to.rank - batch);
  if (shape != NK_OK) return shape;
  if (input->num_elements != to.elements || input->bytes != to.bytes) {
    return refuse_numbers(NK_ERR_INVALID_ARGUMENT,
                          "the input tensor has {} elements, the network takes {}",
                          input->num_elements, to.elements);
  }
  // What an earlier forward gave may stand in the same arena.
  if (to.bytes != 0) __builtin_memmove(to.data, input->data, to.bytes);
  return NK_OK;
}

nk_status_t view_result(Loaded& n, nk_tensor_t& view) {
  nk_program_tensor_t from;
  const nk_status_t status = result_of(n, 0, from);
  if (status != NK_OK) return refuse(status, nk_status_string(status));
  const uint32_t skip = from.rank == 4 && from.dims[0] == 1 ? 1 : 0;
  view = nk_tensor_t{};
  view.rank = from.rank - skip;
  if (view.rank > NK_MAX_TENSOR_RANK) {
    return refuse_numbers(NK_ERR_UNSUPPORTED_NETWORK, "an output of {} axes, at most {}", from.rank,
                          NK_MAX_TENSOR_RANK);
  }
  uint32_t stride = 1;
  for (uint32_t i = NK_MAX_TENSOR_RANK; i-- > 0;) {
    view.shape[i] = i < view.rank ? from.dims[i + skip] : 1;
    view.stride[i] = i < view.rank ? stride : 0;
    stride *= view.shape[i];
  }
  view.data = from.data;
  view.dtype = from.dtype;
  view.num_elements = static_cast<uint32_t>(from.elements);
  view.bytes = static_cast<uint32_t>(from.bytes);
  return NK_OK;
}

nk_status_t forward_loaded(Loaded& loaded, const nk_tensor_t* input, nk_tensor_t& view) {
  nk_status_t status = set_input(loaded, input);
  if (status == NK_OK) status = run_loaded(loaded);
  return status == NK_OK ? view_result(loaded, view) : status;
}

}  // namespace netkit
