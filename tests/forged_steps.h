// SPDX-License-Identifier: MIT
// Single steps of honest .nk files, to be forged: words of the parameters and of the step table are
// overwritten, the checksums made right again, and what the verifier accepts is run between guards.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/tensor_type.h"
#include "runtime/nk/nk_view.h"

namespace netkit::test {

// Memory with a canary on each side; exactly the bytes asked for where AddressSanitizer guards.
class GuardedBlock {
 public:
  GuardedBlock(size_t bytes, size_t alignment);
  GuardedBlock(GuardedBlock&& other) noexcept;
  ~GuardedBlock();
  uint8_t* data() const { return block_ + guard_; }
  size_t size() const { return size_; }
  bool guards_hold() const;

 private:
  uint8_t* block_;
  size_t guard_, size_;
};

// A file that holds one step of another file, with its parameters and all constants.
class ForgedStep {
 public:
  // `index` < the step count of the file, which is valid.
  ForgedStep(const Bytes& nk, uint32_t index, std::string name);

  const std::string& name() const { return name_; }
  uint32_t kernel_id() const { return kernel_id_; }

  // Words that steer: the parameter block, then the step's record and arguments, then the arena's
  // size and alignment in the header. Constant words: those of the step's constants.
  size_t param_words() const { return param_words_; }
  size_t words() const { return words_.size(); }
  size_t constant_words() const { return constants_.size(); }
  uint32_t word(size_t i) const { return read(words_[i]); }
  void set_word(size_t i, uint32_t value) { write(words_[i], value); }
  void set_constant_word(size_t i, uint32_t value) { write(constants_[i], value); }

  void restore();
  // Makes the checksums right, loads with the structural check and, when that is accepted, runs in
  // an arena of random bytes. A broken guard, a file that was written and a run of more than
  // `kMostSeconds` are in the text; empty: as it should be. `accepted` says whether it ran.
  std::string load_and_run(bool& accepted);

  static constexpr double kMostSeconds = 5.0;

 private:
  uint32_t read(size_t at) const;
  void write(size_t at, uint32_t value);
  void forge();

  std::string name_;
  uint32_t kernel_id_ = 0;
  Bytes original_;
  GuardedBlock file_;
  size_t param_words_ = 0;
  std::vector<size_t> words_, constants_;  // offsets in the file
};

// Every step of a file; of the graphs below; a failed test where one cannot be compiled.
std::vector<ForgedStep> steps_of(const Bytes& nk, const std::string& name);
std::vector<ForgedStep> steps_of_text(const std::string& graph, const std::string& name,
                                      const char* target_name);

// Graphs whose steps call every check of parameters that the kernel table holds.
std::vector<ForgedStep> seed_steps();

}  // namespace netkit::test
