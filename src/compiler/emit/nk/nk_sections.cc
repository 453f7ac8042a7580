// SPDX-License-Identifier: MIT
// Assembly of a .nk file from its sections.
#include "compiler/emit/nk/nk_sections.h"

#include <limits>

#include "runtime/nk/crc32.h"

namespace netkit {
namespace {

constexpr uint32_t kSectionFlags[] = {
    0,
#define NK_X(name, kind, text, flags, record_bytes) flags,
    NK_SECTIONS(NK_X)
#undef NK_X
};

}  // namespace

uint32_t StringTable::intern(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  if (const auto found = offsets_.find(text); found != offsets_.end()) return found->second;
  const auto offset = static_cast<uint32_t>(section_.size());
  section_.add(text.data(), text.size());
  section_.add("", 1);
  offsets_.emplace(text, offset);
  return offset;
}

Result<Bytes> assemble_nk(nk_file_header header, const std::vector<OutSection>& sections) {
  std::vector<nk_file_section> table;
  const auto align = [](uint64_t value, uint64_t to) { return (value + to - 1) & ~(to - 1); };
  uint64_t at = sizeof(nk_file_header) + sections.size() * sizeof(nk_file_section);
  for (const OutSection& section : sections) {
    at = align(at, section.kind == NK_SECTION_CONSTANTS ? header.file_alignment
                                                        : NK_FILE_SECTION_ALIGN);
    if (at + section.payload->size() > std::numeric_limits<uint32_t>::max()) {
      return bad_input("the .nk file would be larger than 4 GiB", {},
                       "leave out the test cases, or use smaller weights (int8)");
    }
    table.push_back({static_cast<uint32_t>(section.kind), kSectionFlags[section.kind],
                     static_cast<uint32_t>(at), static_cast<uint32_t>(section.payload->size()),
                     section.count, crc32(section.payload->data(), section.payload->size())});
    at += section.payload->size();
  }
  std::memcpy(header.magic, "NKIT", 4);
  header.version = NK_FILE_VERSION;
  header.minor = NK_FILE_MINOR;
  header.header_bytes = sizeof header;
  header.file_bytes = static_cast<uint32_t>(at);
  header.section_count = static_cast<uint32_t>(table.size());

  Bytes file(at);
  std::memcpy(file.data() + sizeof header, table.data(), table.size() * sizeof table[0]);
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i].bytes == 0) continue;
    std::memcpy(file.data() + table[i].offset, sections[i].payload->data(), table[i].bytes);
  }
  // The checksum of the header covers what follows it in the header, and the table.
  std::memcpy(file.data(), &header, sizeof header);
  constexpr size_t kFirst = offsetof(nk_file_header, file_bytes);
  header.header_crc32 =
      crc32(file.data() + kFirst,
            sizeof header + table.size() * sizeof(nk_file_section) - kFirst);
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

}  // namespace netkit
