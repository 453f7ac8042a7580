// SPDX-License-Identifier: MIT
#include "compiler/driver/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/driver/aligned_block.h"
#include "compiler/emit/nk/nk_reader.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/import/import.h"
#include "runtime/executor.h"

namespace netkit::driver {
namespace {

constexpr uint8_t kPoison = 0xA5;

PortInfo port_of(const NkView& view, const nk_file_tensor& tensor) {
  PortInfo port;
  port.name = view.string(tensor.name);
  port.type.dtype = static_cast<nk_dtype>(tensor.dtype);
  port.type.dims.assign(tensor.dims, tensor.dims + tensor.rank);
  if (tensor.scale != 0.0f) port.type.quant = {{tensor.scale}, {tensor.zero_point}, 0};
  return port;
}

}  // namespace

struct Session::State {
  std::string where;
  AlignedBlock file, arena;
  Executor executor;
  std::vector<PortInfo> inputs, outputs;
  std::vector<std::string> warnings;
  StepHook hook = nullptr;
  void* hook_user = nullptr;

  Result<void> load(size_t arena_bytes);
  // As many ports as the model has, each of its size.
  template <typename Ports, typename BytesOf>
  Result<void> check_port(const char* what, const Ports& ports, uint32_t count,
                          const BytesOf& bytes_of) const {
    if (ports.size() != count) {
      return bad_input(fmt::format("{} {}s given, the model has {}", ports.size(), what, count),
                       where);
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (ports[i].size() == bytes_of(i)) continue;
      return bad_input(fmt::format("{} {} has {} bytes, the model needs {}", what, i,
                                   ports[i].size(), bytes_of(i)),
                       where);
    }
    return {};
  }
  void call_hook(uint32_t index, const nk_file_step& step, void* const* results) const;
};

Result<void> Session::State::load(size_t arena_bytes) {
  NkView view;
  const auto refuse = [&](Fault fault) {
    return std::unexpected(nk_error(fault, {file.data(), file.size()}, where));
  };
  Fault fault = view.open(file.data(), file.size());
  if (!fault.ok()) return refuse(fault);
  const size_t need = view.header().arena_bytes;
  if (arena_bytes == 0 && need > kDefaultArenaLimitBytes) {
    return fail(ErrorCode::kInput,
                fmt::format("the model needs an arena of {} B, more than the default capacity of "
                            "{} B",
                            need, kDefaultArenaLimitBytes),
                where, fmt::format("give --arena {}", need));
  }
  arena = AlignedBlock(arena_bytes != 0 ? arena_bytes : std::max<size_t>(need, 1),
                       view.header().arena_alignment);
  std::memset(arena.data(), kPoison, arena.size());
  fault = executor.load(file.data(), file.size(), arena.data(), arena.size(), all_kernels(),
                        NK_CHECK_ALL);
  if (fault.code() == NK_STATUS_ARENA_TOO_SMALL) {
    return fail(
        ErrorCode::kNo,
        fmt::format("an arena of {} B is too small: the model needs {} B", arena.size(), need),
        where, fmt::format("give at least {} B", need));
  }
  if (!fault.ok()) return refuse(fault);
  for (uint32_t i = 0; i < view.input_count(); ++i) {
    inputs.push_back(port_of(view, view.input(i)));
  }
  for (uint32_t i = 0; i < view.output_count(); ++i) {
    outputs.push_back(port_of(view, view.output(i)));
  }
  return {};
}

void Session::State::call_hook(uint32_t index, const nk_file_step& step,
                               void* const* results) const {
  const NkView& view = executor.view();
  const nk_file_section* section = view.find_section(NK_SECTION_STEP_INFO);
  const char *kernel = "", *node = "";
  if (section != nullptr && index < section->count) {
    nk_file_step_info info;
    std::memcpy(&info, view.payload(*section) + index * sizeof info, sizeof info);
    kernel = view.string(info.kernel_name);
    node = view.string(info.node_name);
  }
  std::vector<std::span<const std::byte>> spans;
  const nk_file_arg* args = NkView::args(&step) + step.in_count;
  for (uint32_t i = 0; i < step.out_count; ++i) {
    spans.emplace_back(static_cast<const std::byte*>(results[i]), args[i].bytes);
  }
  hook(hook_user, index, kernel, node, spans);
}

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::from_nk(Bytes file, std::string where, size_t arena_bytes) {
  auto state = std::make_unique<State>();
  state->where = std::move(where);
  state->file = AlignedBlock::copy_of(file);
  NK_TRY(state->load(arena_bytes));
  return Session(std::move(state));
}

Result<Session> Session::open(const std::string& path, const CompileOptions& options,
                              size_t arena_bytes) {
  NK_ASSIGN(Bytes bytes, read_model_file(path));
  if (sniff_format(bytes) == ModelFormat::kNk) {
    NK_TRY(hears_no_options(options, path));
    return from_nk(std::move(bytes), path, arena_bytes);
  }
  NK_ASSIGN(Compilation compilation, compile_file(path, options));
  NK_ASSIGN(Bytes file, write_nk(compilation.program));
  NK_ASSIGN(Session session, from_nk(std::move(file), path, arena_bytes));
  session.state_->warnings = std::move(compilation.warnings);
  return session;
}

const std::vector<PortInfo>& Session::inputs() const {
  return state_->inputs;
}
const std::vector<PortInfo>& Session::outputs() const {
  return state_->outputs;
}
size_t Session::arena_bytes() const {
  return state_->executor.view().header().arena_bytes;
}
std::span<const std::byte> Session::nk_file() const {
  return {state_->file.data(), state_->file.size()};
}
const std::vector<std::string>& Session::warnings() const {
  return state_->warnings;
}

Result<void> Session::run_into(std::span<const std::span<const std::byte>> inputs,
                               std::span<const std::span<std::byte>> outputs) {
  State& state = *state_;
  const NkView& view = state.executor.view();
  NK_TRY(state.check_port("input", inputs, view.input_count(),
                          [&](uint32_t i) { return view.input(i).bytes; }));
  NK_TRY(state.check_port("output", outputs, view.output_count(),
                          [&](uint32_t i) { return view.output(i).bytes; }));
  for (uint32_t i = 0; i < view.input_count(); ++i) {
    std::ranges::copy(inputs[i], static_cast<std::byte*>(state.executor.input_data(i)));
  }
  const auto trampoline = [](void* user, uint32_t index, const nk_file_step& step,
                             void* const* results) {
    static_cast<const State*>(user)->call_hook(index, step, results);
  };
  const Status status =
      state.hook == nullptr ? state.executor.run() : state.executor.run(trampoline, &state);
  if (status != NK_STATUS_OK) return bad_input(nk_status_text(status), state.where);
  for (uint32_t i = 0; i < view.output_count(); ++i) {
    const auto* from = static_cast<const std::byte*>(state.executor.output_data(i));
    std::copy(from, from + outputs[i].size(), outputs[i].begin());
  }
  return {};
}

Result<std::vector<Bytes>> Session::run(const std::vector<Bytes>& inputs) {
  const NkView& view = state_->executor.view();
  std::vector<Bytes> outputs;
  for (uint32_t i = 0; i < view.output_count(); ++i) outputs.emplace_back(view.output(i).bytes);
  const std::vector<std::span<const std::byte>> in(inputs.begin(), inputs.end());
  const std::vector<std::span<std::byte>> out(outputs.begin(), outputs.end());
  NK_TRY(run_into(in, out));
  return outputs;
}

void Session::set_hook(StepHook hook, void* user) {
  state_->hook = hook;
  state_->hook_user = user;
}

void Session::poison(uint8_t value) {
  std::memset(state_->arena.data(), value, state_->arena.size());
  state_->executor.reset();
}

void Session::reset() {
  state_->executor.reset();
}

Bytes Session::save_state() const {
  Bytes bytes(state_->executor.state_bytes());
  state_->executor.save_state(bytes.data());
  return bytes;
}

Result<void> Session::restore_state(const Bytes& bytes) {
  const size_t need = state_->executor.state_bytes();
  if (bytes.size() != need) {
    return bad_input(fmt::format("{} bytes of state, the model has {}", bytes.size(), need),
                     state_->where);
  }
  state_->executor.restore_state(bytes.data());
  return {};
}

}  // namespace netkit::driver
