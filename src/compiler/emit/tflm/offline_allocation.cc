// SPDX-License-Identifier: MIT
// Offsets of a flatbuffer point forwards only, so what replaces an old table must stand before all
// old ones: a block with a new root table and new lists goes in behind the file's header, and
// everything after it moves by the same distance.
#include "compiler/emit/tflm/offline_allocation.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>

#include "tflite_generated.h"

namespace netkit::emit {
namespace {

constexpr std::string_view kName = "OfflineMemoryAllocation";
constexpr int32_t kVersion = 1, kSubgraph = 0;
constexpr size_t kHeader = 3;       // integers before the offsets
constexpr size_t kRootFields = 10;  // of the schema's table Model
constexpr size_t kVersionField = 0, kBuffersField = 4, kMetadataField = 6;
constexpr size_t kBlockUnit = 64;  // keeps every alignment that the file can ask for
constexpr size_t kFileHeader = 8;  // root offset and identifier

uint32_t load32(std::span<const std::byte> bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

uint16_t load16(std::span<const std::byte> bytes, size_t at) {
  uint16_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// The block between header and old content. Places are of the new file.
class Block {
 public:
  size_t here() const { return kFileHeader + bytes_.size(); }
  void align(size_t unit) {
    while (here() % unit != 0) bytes_.push_back(std::byte{0});
  }
  // The next value that is aligned to `unit` once `ahead` bytes stand before it.
  void align_behind(size_t unit, size_t ahead) {
    while ((here() + ahead) % unit != 0) bytes_.push_back(std::byte{0});
  }
  size_t put32(uint32_t value) { return put(&value, sizeof value); }
  size_t put16(uint16_t value) { return put(&value, sizeof value); }
  size_t put(const void* data, size_t size) {
    const size_t at = here();
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
    return at;
  }
  // The offset field at `field` points to `target`.
  void point(size_t field, size_t target) {
    const uint32_t value = static_cast<uint32_t>(target - field);
    std::memcpy(bytes_.data() + field - kFileHeader, &value, sizeof value);
  }
  Bytes take() && { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

// A vtable and a table of `fields` 4-byte fields right behind it; returns the table's place. Field
// f stands at place + 4 + 4 f, also where it is told to be absent.
size_t put_table(Block& block, size_t fields, const std::vector<bool>& absent = {}) {
  block.align(4);
  if (fields % 2 != 0) block.put16(0);  // the table must start at a multiple of 4
  const size_t vtable = block.put16(static_cast<uint16_t>(4 + 2 * fields));
  block.put16(static_cast<uint16_t>(4 + 4 * fields));
  for (size_t f = 0; f < fields; ++f) {
    const bool there = absent.empty() || !absent[f];
    block.put16(there ? static_cast<uint16_t>(4 + 4 * f) : uint16_t{0});
  }
  const size_t table = block.here();
  block.put32(static_cast<uint32_t>(table - vtable));
  for (size_t f = 0; f < fields; ++f) block.put32(0);
  return table;
}

size_t field_at(size_t table, size_t f) {
  return table + 4 + 4 * f;
}

struct OldRoot {
  size_t table = 0;
  bool present[kRootFields] = {};
  size_t target[kRootFields] = {};  // of offset fields, in the old file
  uint32_t version = 0;
};

Result<OldRoot> old_root(std::span<const std::byte> file) {
  OldRoot root;
  root.table = load32(file, 0);
  const size_t vtable =
      root.table - static_cast<size_t>(static_cast<int32_t>(load32(file, root.table)));
  const size_t fields = (load16(file, vtable) - 4) / 2;
  for (size_t f = 0; f < fields; ++f) {
    const uint16_t at = load16(file, vtable + 4 + 2 * f);
    if (at == 0) continue;
    if (f >= kRootFields) return bad_input("is of a newer schema than this program knows");
    root.present[f] = true;
    if (f == kVersionField) {
      root.version = load32(file, root.table + at);
    } else {
      root.target[f] = root.table + at + load32(file, root.table + at);
    }
  }
  return root;
}

// Absolute places in the file would be wrong once the content moves.
Result<void> check_movable(const fbs::Model& model) {
  if (model.subgraphs() == nullptr || model.subgraphs()->size() != 1) {
    return bad_input("has more than one subgraph: offline allocation is for one");
  }
  if (model.external_buffers() != nullptr && model.external_buffers()->size() > 0) {
    return bad_input("keeps weights in other files");
  }
  for (const fbs::Buffer* buffer : *model.buffers()) {
    if (buffer->offset() > 1) return bad_input("keeps weights behind the flatbuffer");
  }
  for (const fbs::Operator* op : *model.subgraphs()->Get(0)->operators()) {
    if (op->large_custom_options_offset() > 1) {
      return bad_input("keeps operator options behind the flatbuffer");
    }
  }
  return {};
}

// The operator list in the new order; `file` is the old content, changed where it stands.
Result<void> reorder(Bytes& file, const std::vector<int>& order) {
  const auto* operators = fbs::GetModel(file.data())->subgraphs()->Get(0)->operators();
  const auto* first = reinterpret_cast<const std::byte*>(operators->Data());
  const size_t begin = static_cast<size_t>(first - file.data());
  std::vector<int> sorted = order;
  std::ranges::sort(sorted);
  std::vector<int> all(operators->size());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) return bad_input("the order does not name every operator once");
  std::vector<size_t> targets;
  for (size_t i = 0; i < order.size(); ++i) {
    targets.push_back(begin + 4 * i + load32(file, begin + 4 * i));
  }
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t target = targets[static_cast<size_t>(order[i])], field = begin + 4 * i;
    if (target <= field) return bad_input("lists its operators behind themselves");
    const uint32_t value = static_cast<uint32_t>(target - field);
    std::memcpy(file.data() + field, &value, sizeof value);
  }
  return {};
}

// Old entries of a list of tables, by their place in the old file.
template <typename T>
std::vector<size_t> places(const flatbuffers::Vector<flatbuffers::Offset<T>>* list,
                           std::span<const std::byte> file) {
  std::vector<size_t> out;
  if (list == nullptr) return out;
  for (const T* item : *list) {
    out.push_back(static_cast<size_t>(reinterpret_cast<const std::byte*>(item) - file.data()));
  }
  return out;
}

// A list with room for its entries; returns the place of its length.
size_t put_list(Block& block, size_t count) {
  block.align(4);
  const size_t list = block.put32(static_cast<uint32_t>(count));
  for (size_t i = 0; i < count; ++i) block.put32(0);
  return list;
}

struct Parts {
  OldRoot root;
  std::vector<size_t> buffers, metadata;  // old places of what stays
  std::vector<int32_t> words;             // the new buffer's content
};

Bytes make_block(const Parts& parts, size_t* root_place) {
  Block block;
  std::vector<bool> absent;
  for (size_t f = 0; f < kRootFields; ++f) {
    absent.push_back(!parts.root.present[f] && f != kBuffersField && f != kMetadataField);
  }
  const size_t root = put_table(block, kRootFields, absent);
  const size_t buffers = put_list(block, parts.buffers.size() + 1);
  const size_t metadata = put_list(block, parts.metadata.size() + 1);
  const size_t buffer = put_table(block, 1);
  const size_t entry = put_table(block, 2);
  block.align(4);
  const size_t name = block.put32(static_cast<uint32_t>(kName.size()));
  block.put(kName.data(), kName.size());
  block.put("", 1);
  block.align_behind(16, 4);
  const size_t data = block.put32(static_cast<uint32_t>(4 * parts.words.size()));
  block.put(parts.words.data(), 4 * parts.words.size());
  block.align_behind(kBlockUnit, kBlockUnit - kFileHeader % kBlockUnit);
  const size_t moved = block.here() - kFileHeader;  // how far the old content goes
  block.point(field_at(buffer, 0), data);
  block.point(field_at(entry, 0), name);
  block.point(field_at(entry, 1), field_at(entry, 1) + parts.buffers.size());  // its number
  for (size_t i = 0; i < parts.buffers.size(); ++i) {
    block.point(buffers + 4 + 4 * i, parts.buffers[i] + moved);
  }
  block.point(buffers + 4 + 4 * parts.buffers.size(), buffer);
  for (size_t i = 0; i < parts.metadata.size(); ++i) {
    block.point(metadata + 4 + 4 * i, parts.metadata[i] + moved);
  }
  block.point(metadata + 4 + 4 * parts.metadata.size(), entry);
  for (size_t f = 0; f < kRootFields; ++f) {
    const size_t field = field_at(root, f);
    if (f == kVersionField) {
      block.point(field, field + parts.root.version);
    } else if (f == kBuffersField || f == kMetadataField) {
      block.point(field, f == kBuffersField ? buffers : metadata);
    } else if (parts.root.present[f]) {
      block.point(field, parts.root.target[f] + moved);
    }
  }
  *root_place = root;
  return std::move(block).take();
}

}  // namespace

Result<Bytes> write_offline_allocation(std::span<const std::byte> file,
                                       const OfflineAllocation& allocation) {
  Bytes old(file.begin(), file.end());
  const fbs::Model* model = fbs::GetModel(old.data());
  NK_TRY(check_movable(*model));
  const size_t tensors = model->subgraphs()->Get(0)->tensors()->size();
  if (allocation.offsets.size() != tensors) return bad_input("needs an offset per tensor");
  NK_TRY(reorder(old, allocation.order));
  Parts parts;
  NK_ASSIGN(parts.root, old_root(old));
  parts.buffers = places(model->buffers(), old);
  const std::vector<size_t> metadata = places(model->metadata(), old);
  for (size_t i = 0; i < metadata.size(); ++i) {
    const auto* name = model->metadata()->Get(static_cast<flatbuffers::uoffset_t>(i))->name();
    if (name == nullptr || name->string_view() != kName) parts.metadata.push_back(metadata[i]);
  }
  parts.words = {kVersion, kSubgraph, static_cast<int32_t>(tensors)};
  parts.words.insert(parts.words.end(), allocation.offsets.begin(), allocation.offsets.end());
  size_t root = 0;
  const Bytes block = make_block(parts, &root);
  Bytes out(old.begin(), old.begin() + kFileHeader);
  out.insert(out.end(), block.begin(), block.end());
  out.insert(out.end(), old.begin() + kFileHeader, old.end());
  const uint32_t value = static_cast<uint32_t>(root);
  std::memcpy(out.data(), &value, sizeof value);
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(out.data()), out.size());
  if (!fbs::VerifyModelBuffer(verifier)) return bad_input("cannot be rewritten: unusual structure");
  return out;
}

Result<OfflineReadBack> read_offline_allocation(std::span<const std::byte> file) {
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(file.data()), file.size());
  if (!fbs::VerifyModelBuffer(verifier)) return bad_input("is no sound .tflite file");
  const fbs::Model* model = fbs::GetModel(file.data());
  OfflineReadBack out;
  if (model->metadata() == nullptr || model->subgraphs() == nullptr ||
      model->buffers() == nullptr) {
    return bad_input("has no metadata");
  }
  for (const fbs::Metadata* entry : *model->metadata()) {
    const bool ours = entry->name() != nullptr && entry->name()->string_view() == kName;
    if (!ours || entry->buffer() >= model->buffers()->size()) continue;
    const auto* data = model->buffers()->Get(entry->buffer())->data();
    if (data == nullptr || data->size() < 4 * kHeader) return bad_input("metadata is too short");
    std::vector<int32_t> words(data->size() / 4);
    std::memcpy(words.data(), data->data(), 4 * words.size());
    const bool known = words[0] == kVersion && words[1] == kSubgraph &&
                       words.size() == kHeader + static_cast<size_t>(words[2]);
    if (!known) return bad_input("metadata has another format");
    out.offsets.assign(words.begin() + kHeader, words.end());
  }
  if (out.offsets.empty()) return bad_input("has no OfflineMemoryAllocation");
  const auto list = [](const flatbuffers::Vector<int32_t>* from) {
    return from == nullptr ? std::vector<int>() : std::vector<int>(from->begin(), from->end());
  };
  for (const fbs::Operator* op : *model->subgraphs()->Get(0)->operators()) {
    out.operator_inputs.push_back(list(op->inputs()));
    out.operator_outputs.push_back(list(op->outputs()));
  }
  return out;
}

}  // namespace netkit::emit
