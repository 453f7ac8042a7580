// SPDX-License-Identifier: MIT
// What whole-toolchain tests share: the folder of public models, files, emitting and running C.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/tensor_type.h"
#include "compiler/select/program.h"

namespace netkit::test {

// The same numbers on every machine (Marsaglia, "Xorshift RNGs", 2003); state is not 0.
struct Xorshift {
  uint32_t state;
  uint32_t next() {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
  }
};

// NETKIT_SHARED, or the folder `shared` beside the checkout; nullopt (with a note on stdout) where
// there is none: then only what stands in this repository is tested.
std::optional<std::string> shared_folder();

// The file's bytes; a failed test and empty bytes where it cannot be read.
Bytes read_bytes(const std::string& path);

// A fresh folder under the build tree, emptied first.
std::string work_folder(const std::string& name);

// Emits `program`, compiles it with a small main under `flags` and runs it on every case; each
// case is the concatenation of the model's inputs. Returns the concatenated outputs per case.
// A failed compilation or run is a failed test.
std::vector<Bytes> run_emitted_c(const Program& program, const std::string& folder,
                                 const std::vector<Bytes>& cases,
                                 const std::string& flags = "-std=c99 -O2");

// Cuts `bytes` into pieces of the ports' sizes.
std::vector<Bytes> cut_to_ports(const Bytes& bytes, const std::vector<InOut>& ports);
Bytes joined(const std::vector<Bytes>& pieces);

}  // namespace netkit::test
