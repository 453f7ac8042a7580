// SPDX-License-Identifier: MIT
// A model ready to run on this machine, from any kind of file: one engine, the .nk runtime.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/driver/compile.h"
#include "compiler/ir/tensor_type.h"

namespace netkit::driver {

struct PortInfo {
  std::string name;
  TensorType type;  // in the model's own layout
};

// What a session allocates for an arena unless told a size: 64 MiB, so that a broken file cannot
// take the machine's memory.
inline constexpr size_t kDefaultArenaLimitBytes = size_t{64} << 20;

class Session {
 public:
  // .nk files are mapped as they are; others are compiled in memory first.
  // `arena_bytes` 0: as the file says, refused beyond kDefaultArenaLimitBytes.
  static Result<Session> open(const std::string& path, const CompileOptions& options,
                              size_t arena_bytes = 0);
  // From the bytes of a .nk file; `where` names it in messages.
  static Result<Session> from_nk(Bytes file, std::string where, size_t arena_bytes = 0);

  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  const std::vector<PortInfo>& inputs() const;
  const std::vector<PortInfo>& outputs() const;
  size_t arena_bytes() const;
  std::span<const std::byte> nk_file() const;
  const std::vector<std::string>& warnings() const;

  // One inference. As many inputs as the model has, each of its stated size. State carries over.
  Result<std::vector<Bytes>> run(const std::vector<Bytes>& inputs);

  // The same in memory of the caller's, of the stated sizes: nothing is copied on the way.
  Result<void> run_into(std::span<const std::span<const std::byte>> inputs,
                        std::span<const std::span<std::byte>> outputs);

  // Called after each step with its index, its kernel's symbol and node name, and the bytes of each
  // output; for dumps of layers and profiles.
  using StepHook = void (*)(void* user, size_t step, const char* kernel, const char* node,
                            const std::vector<std::span<const std::byte>>& outputs);
  void set_hook(StepHook hook, void* user);

  // Fills the arena with a byte, and resets; a run's result must not depend on it.
  void poison(uint8_t value);

  // State as after loading; all of it as bytes, and back (an error: another number of bytes).
  void reset();
  Bytes save_state() const;
  Result<void> restore_state(const Bytes& bytes);

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace netkit::driver
