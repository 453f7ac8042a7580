// SPDX-License-Identifier: MIT
#include "compiler/driver/plan/memory_map.h"

#include <fmt/format.h>

#include "compiler/driver/io/read_text.h"

namespace netkit::driver {

Result<plan::MemoryMap> read_memory_map(const std::string& path) {
  NK_ASSIGN(const std::string text, read_text(path));
  auto map = plan::parse_memory_map(text);
  if (map) return map;
  Error error = std::move(map.error());
  error.where = error.where.empty() ? path : path + ": " + error.where;
  if (error.hint.empty()) error.hint = "docs/plan-format.md says what netkit-memory/1 holds";
  return std::unexpected(std::move(error));
}

Result<void> fits_memory_map(const std::string& map_path, int64_t arena_bytes, int64_t flash_bytes,
                             const std::string& model) {
  if (map_path.empty()) return {};
  NK_ASSIGN(const plan::MemoryMap map, read_memory_map(map_path));
  if (!map.rules.empty()) {
    return fail(ErrorCode::kUsage, "has rules for single buffers; a compiled model has one arena",
                map_path, "netkit plan MODEL --memory-map lays buffers into several regions");
  }
  const plan::Region* widest = nullptr;
  int64_t most = 0;
  for (const plan::Region& region : map.regions) {
    int64_t room = region.bytes;
    for (const plan::Reservation& part : region.reserved) room -= part.bytes;
    if (widest != nullptr && room <= most) continue;
    widest = &region;
    most = room;
  }
  if (widest == nullptr || arena_bytes > most) {
    return fail(
        ErrorCode::kNo,
        fmt::format("does not fit: needs {} B in one piece, '{}' has {} B free", arena_bytes,
                    widest == nullptr ? "" : widest->name, std::max<int64_t>(0, most)),
        model);
  }
  if (map.flash_bytes && flash_bytes > *map.flash_bytes) {
    return fail(ErrorCode::kNo,
                fmt::format("does not fit: needs {} B of flash, there are {} B", flash_bytes,
                            *map.flash_bytes),
                model);
  }
  return {};
}

}  // namespace netkit::driver
