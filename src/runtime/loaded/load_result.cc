// SPDX-License-Identifier: MIT
#include "runtime/loaded/load_result.h"

namespace netkit::NkLoader {
namespace {

struct StatusRow {
  nk_status_t from;
  LoadStatus to;
};
constexpr StatusRow kStatuses[] = {
    {NK_ERR_MODEL_OPEN, LoadStatus::FileOpenFailed},
    {NK_ERR_MODEL_READ, LoadStatus::ReadFailed},
    {NK_ERR_CHECKSUM, LoadStatus::ReadFailed},
    {NK_ERR_MODEL_PARSE, LoadStatus::TruncatedFile},
    {NK_ERR_VERSION_MISMATCH, LoadStatus::UnsupportedVersion},
    {NK_ERR_WEIGHT_MISMATCH, LoadStatus::SizeMismatch},
    {NK_ERR_MISALIGNED, LoadStatus::SizeMismatch},
    {NK_ERR_ARENA_OVERFLOW, LoadStatus::ArenaOverflow},
};
static_assert(static_cast<int>(NetworkKind::Cnn) == NK_NETWORK_CNN);

}  // namespace

LoadResult result_of(nk_status_t status, const nk_arch_info_t& arch, bool has_magic) {
  if (status == NK_OK) return {LoadStatus::Ok, static_cast<NetworkKind>(arch.kind), "ok"};
  LoadResult result = {LoadStatus::UnsupportedLayer, NetworkKind::Unknown, nk_last_error()};
  for (const StatusRow& row : kStatuses) {
    if (row.from == status) result.status = row.to;
  }
  if (status == NK_ERR_MODEL_PARSE && !has_magic) result.status = LoadStatus::InvalidMagic;
  return result;
}

}  // namespace netkit::NkLoader
