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
enum class MessageKind {
  kModel,
  kFunction,
  kGraph,
  kNode,
  kAttribute,
  kSparse,
  kTensor,
  kValueInfo,
  kType,
  kTensorType,
  kShape,
  kLeaf
};

// A field that makes an object for each of its occurrences.
struct FieldRow {
  MessageKind message;
  uint32_t number;
  MessageKind child;  // kLeaf: nothing inside makes objects of its own
  size_t cost_bytes;
};

template <typename T>
constexpr size_t kCost = sizeof(T) + sizeof(void*);  // held by pointer in a repeated field

constexpr FieldRow kRows[] = {
    {MessageKind::kModel, 7, MessageKind::kGraph, kCost<pb::Graph>},
    {MessageKind::kModel, 8, MessageKind::kLeaf, kCost<pb::OperatorSetId>},
    {MessageKind::kModel, 25, MessageKind::kFunction, kCost<pb::Function>},
    {MessageKind::kFunction, 4, MessageKind::kLeaf, kCost<std::string>},
    {MessageKind::kFunction, 5, MessageKind::kLeaf, kCost<std::string>},
    {MessageKind::kFunction, 6, MessageKind::kLeaf, kCost<std::string>},
    {MessageKind::kFunction, 7, MessageKind::kNode, kCost<pb::Node>},
    {MessageKind::kFunction, 9, MessageKind::kLeaf, kCost<pb::OperatorSetId>},
    {MessageKind::kFunction, 11, MessageKind::kAttribute, kCost<pb::Attribute>},
    {MessageKind::kGraph, 1, MessageKind::kNode, kCost<pb::Node>},
    {MessageKind::kGraph, 5, MessageKind::kTensor, kCost<pb::Tensor>},
    {MessageKind::kGraph, 11, MessageKind::kValueInfo, kCost<pb::ValueInfo>},
    {MessageKind::kGraph, 12, MessageKind::kValueInfo, kCost<pb::ValueInfo>},
    {MessageKind::kGraph, 13, MessageKind::kValueInfo, kCost<pb::ValueInfo>},
    {MessageKind::kGraph, 15, MessageKind::kSparse, kCost<pb::SparseTensor>},
    {MessageKind::kNode, 1, MessageKind::kLeaf, kCost<std::string>},
    {MessageKind::kNode, 2, MessageKind::kLeaf, kCost<std::string>},
    {MessageKind::kNode, 5, MessageKind::kAttribute, kCost<pb::Attribute>},
    {MessageKind::kAttribute, 5, MessageKind::kTensor, kCost<pb::Tensor>},
    {MessageKind::kAttribute, 6, MessageKind::kGraph, kCost<pb::Graph>},
    {MessageKind::kAttribute, 9, MessageKind::kLeaf, kCost<std::string>},
    {MessageKind::kAttribute, 10, MessageKind::kTensor, kCost<pb::Tensor>},
    {MessageKind::kAttribute, 11, MessageKind::kGraph, kCost<pb::Graph>},
    {MessageKind::kAttribute, 22, MessageKind::kSparse, kCost<pb::SparseTensor>},
    {MessageKind::kSparse, 1, MessageKind::kTensor, kCost<pb::Tensor>},
    {MessageKind::kSparse, 2, MessageKind::kTensor, kCost<pb::Tensor>},
    {MessageKind::kTensor, 6, MessageKind::kLeaf, kCost<std::string>},
    {MessageKind::kTensor, 13, MessageKind::kLeaf, kCost<pb::StringStringEntry>},
    {MessageKind::kValueInfo, 2, MessageKind::kType, kCost<pb::Type>},
    {MessageKind::kType, 1, MessageKind::kTensorType, kCost<pb::Type::TensorType>},
    {MessageKind::kType, 8, MessageKind::kTensorType, kCost<pb::Type::TensorType>},
    {MessageKind::kTensorType, 2, MessageKind::kShape, kCost<pb::Shape>},
    {MessageKind::kShape, 1, MessageKind::kLeaf, kCost<pb::Shape::Dim>},
};

const FieldRow* row_of(MessageKind message, uint64_t number) {
  const auto it = std::ranges::find_if(
      kRows, [&](const FieldRow& row) { return row.message == message && row.number == number; });
  return it == std::end(kRows) ? nullptr : it;
}

class Walker {
 public:
  Walker(std::span<const std::byte> bytes, Budget& budget) : bytes_(bytes), budget_(budget) {}

  Result<void> walk(MessageKind message, size_t end, int depth) {
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

  Result<void> field(MessageKind message, uint64_t key, size_t end, int depth) {
    switch (key & 7) {
      case kVarint: {
        NK_TRY(varint(end));
        return {};
      }
      case kFixed64:
        return skip(8, end);
      case kFixed32:
        return skip(4, end);
      case kBytes:
        break;
      default:
        return broken("an unknown wire type");
    }
    NK_ASSIGN(const uint64_t size, varint(end));
    const size_t from = at_;
    NK_TRY(skip(size, end));
    const FieldRow* row = row_of(message, key >> 3);
    if (row == nullptr) return {};
    NK_TRY(budget_.spend(row->cost_bytes));
    if (row->child == MessageKind::kLeaf) return {};
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
  return Walker(bytes, budget).walk(MessageKind::kModel, bytes.size(), 0);
}

}  // namespace netkit::onnx
