// SPDX-License-Identifier: MIT
// The interpreter's road: the bytes of the .nk file and a table of the kernels that it calls, so
// that a firmware links no others.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/nk_format.h"
#include "compiler/emit/c/c_data.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/emit/source/faces.h"
#include "netkit/kernels.hpp"

namespace netkit::emit {
namespace {

struct Entry {
  uint32_t id;
  std::string symbol;
  uint32_t params_bytes;
};

std::string kernel_table(const SourceParts& parts) {
  std::vector<Entry> entries;
  for (const std::string& symbol : parts.kernel_symbols()) {
    const KernelRow* row = find_kernel(symbol);
    entries.push_back({kernel_id(symbol.c_str()), symbol, find_op(row->op)->params_bytes});
  }
  std::ranges::sort(entries, {}, &Entry::id);
  std::string text;
  for (const Entry& entry : entries) {
    text += fmt::format("    {{{}u, {}, 0, 0, {}, NULL}},\n", entry.id, entry.params_bytes,
                        entry.symbol);
  }
  return fmt::format(
      "/* The kernels that the file calls, by id. */\n"
      "static const nk_kernel_entry {}_kernels[] = {{\n{}}};\n\n",
      parts.options().name, text.empty() ? "    {0, 0, 0, 0, NULL, NULL},\n" : text);
}

}  // namespace

Result<EmbeddedNk> embedded_nk(const SourceParts& parts) {
  NkWriteOptions options;
  options.step_info = options.plan = options.tests = false;  // nothing that a device reads
  NK_ASSIGN(Bytes file, write_nk(parts.program(), options));
  nk_file_header header;
  std::memcpy(&header, file.data(), sizeof header);
  EmbeddedNk out;
  out.bytes = file.size();
  out.kernels = parts.kernel_symbols().size();
  Constant blob;
  blob.data = std::make_shared<const Bytes>(std::move(file));
  blob.dtype = NK_UINT8;
  blob.alignment = header.file_alignment;
  // The array is the program's to see: no static, as its header declares it.
  std::string array = c_array(parts.options().name + "_nk", blob);
  array.erase(0, std::string_view("static ").size());
  out.definitions = kAlignedMacro;
  out.definitions += "/* The .nk file, in flash. */\n" + array + "\n";
  out.definitions += parts.kernel_declarations() + "\n" + kernel_table(parts);
  return out;
}

}  // namespace netkit::emit
