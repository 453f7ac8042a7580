// SPDX-License-Identifier: MIT
// What the importers share: names in messages, and constants.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/import/import.h"
#include "compiler/ir/foreign.h"

namespace netkit {

// An element type of a foreign file.
struct ForeignDType {
  nk_dtype dtype;         // NK_DTYPE_NONE where netkit has no such type
  std::string_view name;  // the file's word for it, lower case
};

// Keeps memory linear in the file's size although a file can name the same bytes many times.
class Budget {
 public:
  explicit Budget(uint64_t file_bytes, uint64_t slack_bytes = uint64_t{1} << 20)
      : left_(kFactor * file_bytes + slack_bytes) {}
  // Accounts for bytes about to be made. Errors: above 16 times the file's size and the slack.
  Result<void> spend(uint64_t bytes);

 private:
  static constexpr uint64_t kFactor = 16;
  uint64_t left_;
};

// Bytes without a meaning here, as a uint8 vector.
AttrTensor byte_attr(std::span<const std::byte> bytes);

// A name for a message: in single quotes, control characters escaped, at most 100 characters.
std::string shown(std::string_view name);

// `error` with `outer` put before its place: "outer, inner".
Error inside(std::string_view outer, Error error);

// Lays strings out as TFLite does: int32 count, count + 1 int32 offsets, the characters.
// Errors: above 2^31 bytes in all.
Result<Bytes> pack_strings(const std::vector<std::string_view>& strings);

// Checks that each int8-sized truth value is 0 or 1 and sets others to 1.
void normalise_bools(Bytes& bytes);

// Orders nodes so that each stands after the nodes it needs; the file's order where it will do,
// else a topological one that keeps it as far as possible. needs[i]: tensors that node i reads.
// Errors: a cycle (names a node on it).
Result<void> sort_nodes(ForeignGraph& graph, const std::vector<std::vector<int>>& needs);

Result<ForeignGraph> import_nk_legacy(std::span<const std::byte> bytes);
Result<ForeignGraph> import_tflite(std::span<const std::byte> bytes, const ImportOptions& options);
// `folder`: where external data may lie.
Result<ForeignGraph> import_onnx(std::span<const std::byte> bytes, const std::string& folder,
                                 const ImportOptions& options);

}  // namespace netkit
