// SPDX-License-Identifier: MIT
// A walk over the wire format of an ONNX file before protobuf builds its messages: says where a
// broken file breaks, and bounds the memory that the messages will take.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "compiler/import/onnx/onnx.h"
#include "onnx.pb.h"

namespace netkit::onnx {
namespace {

// Message types whose fields matter here.
enum class Kind { kModel, kFunction, kGraph, kNode, kAttribute, kSparse, kTensor, kValueInfo, kType,
                  kTensorType, kShape, kLeaf };

// A field that makes an object for each of its occurrences.
struct FieldRow {
  Kind message;
  uint32_t number;
  Kind child;      // kLeaf: nothing inside makes objects of its own
  size_t cost_bytes;
};

template <typename T>
constexpr size_t kCost = sizeof(T) + sizeof(void*);  // held by pointer in a repeated field

constexpr FieldRow kRows[] = {
    {Kind::kModel, 7, Kind::kGraph, kCost<pb::Graph>},
    {Kind::kModel, 8, Kind::kLeaf, kCost<pb::OperatorSetId>},
    {Kind::kModel, 25, Kind::kFunction, kCost<pb::Function>},
    {Kind::kFunction, 4, Kind::kLeaf, kCost<std::string>},
    {Kind::kFunction, 5, Kind::kLeaf, kCost<std::string>},
    {Kind::kFunction, 6, Kind::kLeaf, kCost<std::string>},
    {Kind::kFunction, 7, Kind::kNode, kCost<pb::Node>},
    {Kind::kFunction, 9, Kind::kLeaf, kCost<pb::OperatorSetId>},
    {Kind::kFunction, 11, Kind::kAttribute, kCost<pb::Attribute>},
    {Kind::kGraph, 1, Kind::kNode, kCost<pb::Node>},
    {Kind::kGraph, 5, Kind::kTensor, kCost<pb::Tensor>},
    {Kind::kGraph, 11, Kind::kValueInfo, kCost<pb::ValueInfo>},
    {Kind::kGraph, 12, Kind::kValueInfo, kCost<pb::ValueInfo>},
    {Kind::kGraph, 13, Kind::kValueInfo, kCost<pb::ValueInfo>},
    {Kind::kGraph, 15, Kind::kSparse, kCost<pb::SparseTensor>},
    {Kind::kNode, 1, Kind::kLeaf, kCost<std::string>},
    {Kind::kNode, 2, Kind::kLeaf, kCost<std::string>},
    {Kind::kNode, 5, Kind::kAttribute, kCost<pb::Attribute>},
    {Kind::kAttribute, 5, Kind::kTensor, kCost<pb::Tensor>},
    {Kind::kAttribute, 6, Kind::kGraph, kCost<pb::Graph>},
    {Kind::kAttribute, 9, Kind::kLeaf, kCost<std::string>},
    {Kind::kAttribute, 10, Kind::kTensor, kCost<pb::Tensor>},
    {Kind::kAttribute, 11, Kind::kGraph, kCost<pb::Graph>},
    {Kind::kAttribute, 22, Kind::kSparse, kCost<pb::SparseTensor>},
    {Kind::kSparse, 1, Kind::kTensor, kCost<pb::Tensor>},
    {Kind::kSparse, 2, Kind::kTensor, kCost<pb::Tensor>},
    {Kind::kTensor, 6, Kind::kLeaf, kCost<std::string>},
    {Kind::kTensor, 13, Kind::kLeaf, kCost<pb::StringStringEntry>},
    {Kind::kValueInfo, 2, Kind::kType, kCost<pb::Type>},
    {Kind::kType, 1, Kind::kTensorType, kCost<pb::Type::TensorType>},
    {Kind::kType, 8, Kind::kTensorType, kCost<pb::Type::TensorType>},
    {Kind::kTensorType, 2, Kind::kShape, kCost<pb::Shape>},
    {Kind::kShape, 1, Kind::kLeaf, kCost<pb::Shape::Dim>},
};

const FieldRow* row_of(Kind message, uint64_t number) {
  const auto it = std::ranges::find_if(kRows, [&](const FieldRow& row) {
    return row.message == message && row.number == number;
  });
  return it == std::end(kRows) ? nullptr : it;
}

class Walker {
 public:
  Walker(std::span<const std::byte> bytes, Budget& budget) : bytes_(bytes), budget_(budget) {}

  Result<void> walk(Kind message, size_t end, int depth) {
    if (depth > kMaxNesting) return broken("messages are nested too deep");
    while (at_ < end) {
      NK_ASSIGN(const uint64_t key, varint(end));
      NK_TRY(field(message, key, end, depth));
    }
    return {};
  }

 private:
  enum Wire : uint64_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

  std::unexpected<Error> broken(std::string_view what) const {
    return bad_input(fmt::format("not an ONNX model, or corrupt: {} at byte {} of {} (protobuf)",
                                 what, at_, bytes_.size()),
                     {}, "copy or export the file again");
  }

  std::unexpected<Error> truncated() const {
    if (at_ >= bytes_.size()) return broken("truncated");
    return broken("a field is longer than the message it stands in");
  }

  Result<uint64_t> varint(size_t end) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ >= end) return truncated();
      const auto byte = std::to_integer<uint64_t>(bytes_[at_++]);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return broken("a malformed number");
  }

  Result<void> skip(uint64_t size, size_t end) {
    if (size > end - at_) {
      return broken(end == bytes_.size() ? "truncated, or a length beyond the end"
                                         : "a field is longer than the message it stands in");
    }
    at_ += static_cast<size_t>(size);
    return {};
  }

  Result<void> field(Kind message, uint64_t key, size_t end, int depth) {
    switch (key & 7) {
      case kVarint: {
        NK_TRY(varint(end));
        return {};
      }
      case kFixed64: return skip(8, end);
      case kFixed32: return skip(4, end);
      case kBytes: break;
      default: return broken("an unknown wire type");
    }
    NK_ASSIGN(const uint64_t size, varint(end));
    const size_t from = at_;
    NK_TRY(skip(size, end));
    const FieldRow* row = row_of(message, key >> 3);
    if (row == nullptr) return {};
    NK_TRY(budget_.spend(row->cost_bytes));
    if (row->child == Kind::kLeaf) return {};
    const size_t to = std::exchange(at_, from);
    return walk(row->child, to, depth + 1);
  }

  std::span<const std::byte> bytes_;
  Budget& budget_;
  size_t at_ = 0;
};

}  // namespace

Result<void> check_wire(std::span<const std::byte> bytes) {
  constexpr uint64_t kSlackBytes = uint64_t{16} << 20;
  Budget budget(bytes.size(), kSlackBytes);
  return Walker(bytes, budget).walk(Kind::kModel, bytes.size(), 0);
}

}  // namespace netkit::onnx
