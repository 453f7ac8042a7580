// SPDX-License-Identifier: MIT
// Sparse TFLite constants → dense ones. The stored form is a tree: a level per dimension in
// traversal order, then a level per block dimension; a level is dense (all its indices) or
// compressed (segments of a list of indices, as in CSR). Leaves are the stored values in order.
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "compiler/import/tflite/tflite.h"
#include "compiler/import/tflite/vectors.h"
#include "tflite_generated.h"

namespace netkit::tflite {
namespace {

constexpr uint32_t kMaxLevels = 12;

struct Level {
  size_t dim = 0;      // of the dense tensor
  int64_t size = 0;    // indices run in [0, size)
  int64_t stride = 0;  // elements of the dense tensor from one index to the next
  bool compressed = false;
  std::vector<int64_t> segments, indices;
};

std::vector<int64_t> numbers(fbs::SparseIndexVector kind, const void* data) {
  const auto copy = [](const auto* table) {
    if (table == nullptr) return std::vector<int64_t>();
    const auto values = copied(table->values());
    return std::vector<int64_t>(values.begin(), values.end());
  };
  switch (kind) {
    case fbs::SparseIndexVector::Int32Vector:
      return copy(static_cast<const fbs::Int32Vector*>(data));
    case fbs::SparseIndexVector::Uint16Vector:
      return copy(static_cast<const fbs::Uint16Vector*>(data));
    case fbs::SparseIndexVector::Uint8Vector:
      return copy(static_cast<const fbs::Uint8Vector*>(data));
    default:
      return {};
  }
}

class Densifier {
 public:
  Densifier(const fbs::SparsityParameters& sparsity, const TensorType& type,
            std::span<const std::byte> values)
      : in_(sparsity), type_(type), values_(values), rank_(type.dims.size()) {}

  Result<Bytes> run() {
    NK_TRY(read_levels());
    NK_TRY(place_levels());
    NK_TRY(check_levels());
    NK_ASSIGN(const int64_t bytes, byte_count(type_.dtype, type_.dims));
    Bytes dense(static_cast<size_t>(bytes));
    fill(0, 0, 0, dense);
    return dense;
  }

 private:
  static std::unexpected<Error> malformed(std::string_view what) {
    return bad_input(fmt::format("malformed sparse tensor: {}", what));
  }

  Result<void> read_levels() {
    const std::vector<int32_t> order = copied(in_.traversal_order());
    const auto* metadata = in_.dim_metadata();
    const std::vector<int32_t> blocks = copied(in_.block_map());
    if (metadata == nullptr || order.size() != metadata->size() ||
        order.size() != rank_ + blocks.size() || order.size() > kMaxLevels || rank_ == 0) {
      return malformed("the number of dimensions");
    }
    std::vector<bool> seen(order.size(), false);
    for (uint32_t i = 0; i < order.size(); ++i) {
      const int32_t at = order[i];
      const bool is_block = i >= rank_;
      if (at < 0 || static_cast<size_t>(at) >= seen.size() || seen[static_cast<size_t>(at)] ||
          (static_cast<size_t>(at) >= rank_) != is_block) {
        return malformed("the traversal order");
      }
      seen[static_cast<size_t>(at)] = true;
      Level level;
      level.dim = static_cast<size_t>(at);
      if (is_block) {
        const int32_t mapped = blocks[level.dim - rank_];
        if (mapped < 0 || static_cast<size_t>(mapped) >= rank_) return malformed("the block map");
        level.dim = static_cast<size_t>(mapped);
      }
      const fbs::DimensionMetadata& m = *metadata->Get(i);
      level.compressed = m.format() == fbs::DimensionType::SPARSE_CSR;
      if (level.compressed) {
        level.segments = numbers(m.array_segments_type(), m.array_segments());
        level.indices = numbers(m.array_indices_type(), m.array_indices());
        if (is_block) return malformed("a compressed block");
      } else {
        level.size = m.dense_size();
        if (level.size <= 0) return malformed("the size of a dense dimension");
      }
      levels_.push_back(std::move(level));
    }
    return {};
  }

  // Sizes and strides: within a dimension the blocks are the inner part.
  Result<void> place_levels() {
    std::vector<int64_t> inner(rank_, 1);  // elements of dim below the present level
    std::vector<int64_t> dim_stride(rank_, 1);
    for (size_t d = rank_; d-- > 1;) dim_stride[d - 1] = dim_stride[d] * type_.dims[d];
    for (size_t i = levels_.size(); i-- > 0;) {
      Level& level = levels_[i];
      const int64_t size = type_.dims[level.dim];
      if (i < rank_) {
        if (size % inner[level.dim] != 0) return malformed("blocks do not divide the shape");
        const int64_t outer = size / inner[level.dim];
        if (!level.compressed && level.size != outer) return malformed("a dimension's size");
        level.size = outer;
      } else if (level.size > size / inner[level.dim]) {
        return malformed("a block is larger than the tensor");
      }
      level.stride = dim_stride[level.dim] * inner[level.dim];
      inner[level.dim] *= level.size;
    }
    return {};
  }

  // The walk of fill() visits each entry of a level once and each value once.
  Result<void> check_levels() const {
    NK_ASSIGN(const int64_t limit, element_count(type_.dims));
    int64_t entries = 1;
    for (const Level& level : levels_) {
      if (level.compressed) {
        if (level.segments.size() != static_cast<size_t>(entries) + 1 ||
            level.segments.front() != 0 ||
            level.segments.back() != static_cast<int64_t>(level.indices.size())) {
          return malformed("the segments of a dimension");
        }
        for (size_t i = 1; i < level.segments.size(); ++i) {
          if (level.segments[i] < level.segments[i - 1]) return malformed("falling segments");
        }
        for (const int64_t index : level.indices) {
          if (index < 0 || index >= level.size) return malformed("an index is out of range");
        }
        entries = static_cast<int64_t>(level.indices.size());
      } else if (__builtin_mul_overflow(entries, level.size, &entries)) {
        return malformed("too many entries");
      }
      if (entries > limit) return malformed("more entries than elements");
    }
    if (static_cast<uint64_t>(entries) * element_bytes() != values_.size()) {
      return malformed(fmt::format("{} values are stored in {} bytes", entries, values_.size()));
    }
    return {};
  }

  size_t element_bytes() const { return static_cast<size_t>(bits_of(type_.dtype)) / 8; }

  void fill(size_t depth, int64_t entry, int64_t at, Bytes& dense) const {
    const size_t size = element_bytes();
    if (depth == levels_.size()) {
      std::memcpy(dense.data() + static_cast<size_t>(at) * size,
                  values_.data() + static_cast<size_t>(entry) * size, size);
      return;
    }
    const Level& level = levels_[depth];
    if (!level.compressed) {
      for (int64_t i = 0; i < level.size; ++i) {
        fill(depth + 1, entry * level.size + i, at + i * level.stride, dense);
      }
      return;
    }
    const auto row = static_cast<size_t>(entry);
    for (int64_t i = level.segments[row]; i < level.segments[row + 1]; ++i) {
      fill(depth + 1, i, at + level.indices[static_cast<size_t>(i)] * level.stride, dense);
    }
  }

  const fbs::SparsityParameters& in_;
  const TensorType& type_;
  std::span<const std::byte> values_;
  size_t rank_;
  std::vector<Level> levels_;
};

}  // namespace

Result<Bytes> densify(const fbs::SparsityParameters& sparsity, const TensorType& type,
                      std::span<const std::byte> values) {
  return Densifier(sparsity, type, values).run();
}

}  // namespace netkit::tflite
