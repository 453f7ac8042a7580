// SPDX-License-Identifier: MIT
// netkit-memory/1 files: read for plan, and as the limit of what compile and emit make.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "compiler/plan/regions/regions.h"

namespace netkit::driver {

// Errors name the file and the place in it.
Result<plan::MemoryMap> read_memory_map(const std::string& path);

// What a compiled model needs stands in one arena and in flash: kNo unless the arena fits into the
// free part of one region, and flash_bytes into the map's. kUsage: the map has rules, which place
// single buffers. `map_path` "": no limit. `model` is named in errors.
Result<void> fits_memory_map(const std::string& map_path, int64_t arena_bytes, int64_t flash_bytes,
                             const std::string& model);

}  // namespace netkit::driver
