// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "compiler/import/import.h"
#include "compiler/import/tflite/test_model.h"

namespace netkit {
namespace {

struct Sparse {
  std::vector<int> shape = {3, 4};
  std::vector<int> order = {0, 1};
  std::vector<int> block_map;
  std::vector<int> dense_size = {3, 0};  // 0: compressed
  std::vector<int> segments = {0, 1, 1, 3};
  std::vector<int> indices = {2, 0, 3};
  std::vector<uint8_t> values = {5, 6, 7};
};

Result<ForeignGraph> import_sparse(const Sparse& s) {
  TestModel m;
  auto& fbb = m.fbb();
  std::vector<flatbuffers::Offset<fbs::DimensionMetadata>> levels;
  for (const int size : s.dense_size) {
    if (size != 0) {
      levels.push_back(fbs::CreateDimensionMetadata(fbb, fbs::DimensionType::DENSE, size));
      continue;
    }
    const auto segments = fbs::CreateInt32VectorDirect(fbb, &s.segments);
    const std::vector<uint8_t> small(s.indices.begin(), s.indices.end());
    const auto indices = fbs::CreateUint8VectorDirect(fbb, &small);
    levels.push_back(fbs::CreateDimensionMetadata(
        fbb, fbs::DimensionType::SPARSE_CSR, 0, fbs::SparseIndexVector::Int32Vector,
        segments.Union(), fbs::SparseIndexVector::Uint8Vector, indices.Union()));
  }
  const auto sparsity = fbs::CreateSparsityParametersDirect(fbb, &s.order, &s.block_map, &levels);
  m.add_tensor(fbs::CreateTensorDirect(fbb, &s.shape, fbs::TensorType::UINT8, m.buffer(s.values),
                                       "s", 0, false, sparsity));
  m.end_graph({}, {0});
  return import_model(m.finish(), "m.tflite");
}

std::vector<int> values_of(const Result<ForeignGraph>& graph) {
  std::vector<int> values;
  if (!graph) return values;
  for (const std::byte b : *graph->tensors[0].data) values.push_back(std::to_integer<int>(b));
  return values;
}

TEST(ImportSparse, Rows) {
  EXPECT_EQ(values_of(import_sparse({})), (std::vector<int>{0, 0, 5, 0, 0, 0, 0, 0, 6, 0, 0, 7}));
}

TEST(ImportSparse, Columns) {
  Sparse s;
  s.order = {1, 0};
  s.dense_size = {4, 0};
  s.segments = {0, 1, 1, 2, 3};
  s.indices = {2, 0, 1};
  EXPECT_EQ(values_of(import_sparse(s)), (std::vector<int>{0, 0, 6, 0, 0, 0, 0, 7, 5, 0, 0, 0}));
}

// 4x4 in blocks of 2x2: the blocks (0,1) and (1,0) are stored.
TEST(ImportSparse, Blocks) {
  Sparse s;
  s.shape = {4, 4};
  s.order = {0, 1, 2, 3};
  s.block_map = {0, 1};
  s.dense_size = {2, 0, 2, 2};
  s.segments = {0, 1, 2};
  s.indices = {1, 0};
  s.values = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(values_of(import_sparse(s)),
            (std::vector<int>{0, 0, 1, 2, 0, 0, 3, 4, 5, 6, 0, 0, 7, 8, 0, 0}));
}

TEST(ImportSparse, RefusesWhatDoesNotFit) {
  const std::vector<void (*)(Sparse&)> breaks = {
      [](Sparse& s) { s.order = {0, 0}; },
      [](Sparse& s) { s.order = {0, 2}; },
      [](Sparse& s) { s.order = {0}; },
      [](Sparse& s) { s.dense_size = {4, 0}; },
      [](Sparse& s) { s.dense_size = {3, 4}; },
      [](Sparse& s) { s.dense_size = {-3, 0}; },
      [](Sparse& s) { s.segments = {0, 1, 3}; },
      [](Sparse& s) { s.segments = {0, 2, 1, 3}; },
      [](Sparse& s) { s.segments = {1, 1, 1, 3}; },
      [](Sparse& s) { s.segments = {0, 1, 1, 9}; },
      [](Sparse& s) { s.segments = {}; },
      [](Sparse& s) { s.indices = {2, 0, 4}; },
      [](Sparse& s) { s.values = {5, 6}; },
      [](Sparse& s) { s.values = {}; },
      [](Sparse& s) { s.block_map = {0}; },
      [](Sparse& s) { s.shape = {}; },
  };
  for (size_t i = 0; i < breaks.size(); ++i) {
    Sparse s;
    breaks[i](s);
    const auto graph = import_sparse(s);
    ASSERT_FALSE(graph) << "case " << i;
    EXPECT_NE(graph.error().message.find("sparse"), std::string::npos) << graph.error().message;
  }
}

}  // namespace
}  // namespace netkit
