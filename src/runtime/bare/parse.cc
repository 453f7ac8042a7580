// SPDX-License-Identifier: MIT
// NkLoader on a bare device: what a version 5 file in memory holds.
#include "runtime/loaded/load_result.h"
#include "runtime/loaded/loaded.h"

namespace netkit::NkLoader {

bool has_magic(const ModelSource& source) {
  return source.data == nullptr || version_of(source.data, source.size) != 0;
}

LoadResult ParseBuffer(const std::uint8_t* data, std::size_t size, ParsedModel& out) {
  out = {};
  const nk_status_t status = nk_parse_architecture_memory(data, size, &out.arch);
  NkView view;
  if (status == NK_OK && view.open(data, size).ok()) {
    out.quantized = view.input_count() > 0 && view.input(0).scale != 0.0f;
    const nk_file_section* cases = view.find_section(NK_SECTION_TESTS);
    out.num_cases = cases != nullptr ? cases->count : 0;
  }
  return result_of(status, out.arch, version_of(data, size) != 0);
}

// A version 5 file has nothing on a heap.
void FreeParsedModelExtras(ParsedModel& parsed) {
  parsed.num_quants = 0;
}

}  // namespace netkit::NkLoader
