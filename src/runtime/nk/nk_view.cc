// SPDX-License-Identifier: MIT
// Opening a .nk file: the header and the section table, in constant space and a few hundred
// instructions. The walk over the records is nk_verify.cc.
#include "runtime/nk/nk_view.h"

#include <bit>

namespace netkit {
namespace {

static_assert(std::endian::native == std::endian::little, ".nk files are read in place");

struct KnownSection {
  uint32_t flags, record_bytes;
};
constexpr KnownSection kKnown[] = {{0, 1},
#define NK_X(name, kind, text, flags, record_bytes) {flags, record_bytes},
                                   NK_SECTIONS(NK_X)
#undef NK_X
};
static_assert(sizeof kKnown / sizeof kKnown[0] == NK_SECTION_KIND_END);

constexpr uint32_t required_kinds() {
  uint32_t mask = 0;
  for (uint32_t kind = 1; kind < NK_SECTION_KIND_END; ++kind) {
    const bool optional = kind == NK_SECTION_STATES;
    if ((kKnown[kind].flags & NK_SECTION_REQUIRED) && !optional) mask |= 1u << kind;
  }
  return mask;
}

bool is_power_of_two(uint32_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

Status check_header(const nk_file_header& header, uintptr_t address, size_t bytes) {
  if (header.magic[0] != 'N' || header.magic[1] != 'K' || header.magic[2] != 'I' ||
      header.magic[3] != 'T') {
    return NK_STATUS_BAD_MAGIC;
  }
  if (header.version != NK_FILE_VERSION) return NK_STATUS_BAD_VERSION;
  if (header.file_bytes > bytes) return NK_STATUS_TRUNCATED;
  const uint32_t count = header.section_count;
  if (header.header_bytes < sizeof header || header.header_bytes % 4 != 0 || count == 0 ||
      count > NK_FILE_MAX_SECTIONS ||
      header.header_bytes + count * sizeof(nk_file_section) > header.file_bytes ||
      !is_power_of_two(header.arena_alignment) || header.arena_alignment > NK_FILE_MAX_ALIGN ||
      !is_power_of_two(header.file_alignment) || header.file_alignment > NK_FILE_MAX_ALIGN ||
      header.file_alignment < NK_FILE_SECTION_ALIGN || header.arena_bytes > NK_FILE_MAX_PLACE) {
    return NK_STATUS_CORRUPT;
  }
  return address & (header.file_alignment - 1) ? NK_STATUS_MISALIGNED : NK_STATUS_OK;
}

// In range, after what stands before it, flags and record size as this reader knows them.
Status check_section(const nk_file_section& section, uint32_t begin, uint32_t file_bytes) {
  if (section.offset < begin || section.offset % NK_FILE_SECTION_ALIGN != 0 ||
      section.offset > file_bytes || section.bytes > file_bytes - section.offset) {
    return NK_STATUS_CORRUPT;
  }
  if (section.kind >= NK_SECTION_KIND_END) {
    return section.flags & NK_SECTION_REQUIRED ? NK_STATUS_UNSUPPORTED : NK_STATUS_OK;
  }
  const KnownSection& known = kKnown[section.kind];
  if (section.kind == 0 || section.flags != known.flags) return NK_STATUS_CORRUPT;
  if (known.record_bytes > 1 && (section.bytes % known.record_bytes != 0 ||
                                 section.bytes / known.record_bytes != section.count)) {
    return NK_STATUS_CORRUPT;
  }
  return NK_STATUS_OK;
}

}  // namespace

Fault NkView::open(const void* file, size_t bytes) {
  *this = NkView();
  const auto address = reinterpret_cast<uintptr_t>(file);
  if (!file) return {NK_STATUS_BAD_ARGUMENT};
  if (bytes < sizeof(nk_file_header)) return {NK_STATUS_TRUNCATED};
  if (address % NK_FILE_SECTION_ALIGN != 0) return {NK_STATUS_MISALIGNED};
  const auto& header = *static_cast<const nk_file_header*>(file);
  if (const Status status = check_header(header, address, bytes)) {
    return {static_cast<nk_status8>(status)};
  }
  file_ = static_cast<const uint8_t*>(file);
  const Fault fault = read_section_table();
  if (!fault.ok()) *this = NkView();
  return fault;
}

Fault NkView::read_section_table() {
  uint32_t seen = 0;
  uint32_t begin =
      header().header_bytes + section_count() * static_cast<uint32_t>(sizeof(nk_file_section));
  for (uint32_t i = 0; i < section_count(); ++i) {
    const nk_file_section& s = section(i);
    if (const Status status = check_section(s, begin, header().file_bytes)) {
      return {static_cast<nk_status8>(status), 0, static_cast<uint16_t>(i)};
    }
    begin = s.offset + s.bytes;
    if (s.kind >= NK_SECTION_KIND_END) continue;
    if (seen & (1u << s.kind)) return {NK_STATUS_CORRUPT, 0, static_cast<uint16_t>(i)};
    seen |= 1u << s.kind;
    switch (s.kind) {
      case NK_SECTION_INPUTS:
        inputs_ = {s.offset, s.count};
        break;
      case NK_SECTION_OUTPUTS:
        outputs_ = {s.offset, s.count};
        break;
      case NK_SECTION_STATES:
        states_ = {s.offset, s.count};
        break;
      case NK_SECTION_STEPS:
        steps_ = {s.offset, s.count};
        break;
      case NK_SECTION_PARAMS:
        params_offset_ = s.offset;
        break;
      case NK_SECTION_CONSTANTS:
        constants_offset_ = s.offset;
        break;
      case NK_SECTION_STRINGS:
        strings_ = {s.offset, s.bytes};
        break;
      default:
        break;
    }
  }
  if ((seen & required_kinds()) != required_kinds()) return {NK_STATUS_CORRUPT};
  return {};
}

const nk_file_section* NkView::find_section(nk_section_kind kind) const {
  for (uint32_t i = 0; i < section_count(); ++i) {
    if (section(i).kind == static_cast<uint32_t>(kind)) return &section(i);
  }
  return nullptr;
}

}  // namespace netkit
