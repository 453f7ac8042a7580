// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "compiler/import/import.h"
#include "compiler/import/onnx/test_model.h"

namespace netkit {
namespace {

namespace fs = std::filesystem;

// Imports a model whose only content is one initialiser; the tensor, or the error.
Result<ForeignTensor> import_tensor(const pb::Tensor& tensor, const std::string& file = "m.onnx",
                                    const ImportOptions& options = {}) {
  pb::Model model = onnx_model();
  *model.mutable_graph()->add_initializer() = tensor;
  NK_ASSIGN(ForeignGraph graph, import_model(bytes_of(model), file, options));
  return graph.tensors[0];
}

pb::Tensor tensor_of(int dtype, const std::vector<int64_t>& dims) {
  pb::Graph scratch;
  return add_initialiser(scratch, "t", dtype, dims);
}

std::string error_of(const Result<ForeignTensor>& tensor) {
  return tensor ? "accepted" : tensor.error().where + ": " + tensor.error().message;
}

Bytes bytes(std::initializer_list<int> values) {
  Bytes result;
  for (const int v : values) result.push_back(static_cast<std::byte>(v));
  return result;
}

struct Typed {
  int dtype;
  nk_dtype want;
  int64_t elems;
  void (*fill)(pb::Tensor&);
  Bytes data;
};

TEST(ImportOnnxTensor, TypedFields) {
  const std::vector<Typed> cases = {
      {kOnnxFloat, NK_FLOAT32, 1, [](pb::Tensor& t) { t.add_float_data(1.5f); },
       bytes({0, 0, 0xc0, 0x3f})},
      {kOnnxDouble, NK_FLOAT64, 1, [](pb::Tensor& t) { t.add_double_data(1.0); },
       bytes({0, 0, 0, 0, 0, 0, 0xf0, 0x3f})},
      {kOnnxInt32, NK_INT32, 1, [](pb::Tensor& t) { t.add_int32_data(-2); },
       bytes({0xfe, 0xff, 0xff, 0xff})},
      {kOnnxInt8, NK_INT8, 2,
       [](pb::Tensor& t) {
         t.add_int32_data(-128);
         t.add_int32_data(127);
       },
       bytes({0x80, 0x7f})},
      {kOnnxUint8, NK_UINT8, 1, [](pb::Tensor& t) { t.add_int32_data(255); }, bytes({0xff})},
      {kOnnxInt16, NK_INT16, 1, [](pb::Tensor& t) { t.add_int32_data(-2); }, bytes({0xfe, 0xff})},
      {kOnnxUint16, NK_UINT16, 1, [](pb::Tensor& t) { t.add_int32_data(65535); },
       bytes({0xff, 0xff})},
      {kOnnxFloat16, NK_FLOAT16, 1, [](pb::Tensor& t) { t.add_int32_data(0x3c00); },
       bytes({0x00, 0x3c})},
      {kOnnxBool, NK_BOOL, 2,
       [](pb::Tensor& t) {
         t.add_int32_data(0);
         t.add_int32_data(7);
       },
       bytes({0, 1})},
      {kOnnxInt64, NK_INT64, 1, [](pb::Tensor& t) { t.add_int64_data(-1); },
       bytes({255, 255, 255, 255, 255, 255, 255, 255})},
      {kOnnxUint32, NK_UINT32, 1, [](pb::Tensor& t) { t.add_uint64_data(0xffffffffu); },
       bytes({255, 255, 255, 255})},
      {kOnnxUint64, NK_UINT64, 1, [](pb::Tensor& t) { t.add_uint64_data(2); },
       bytes({2, 0, 0, 0, 0, 0, 0, 0})},
      {kOnnxInt4, NK_INT4, 3,
       [](pb::Tensor& t) {
         t.add_int32_data(0x21);
         t.add_int32_data(3);
       },
       bytes({0x21, 0x03})},
      {kOnnxString, NK_STRING, 2,
       [](pb::Tensor& t) {
         t.add_string_data("a");
         t.add_string_data("");
       },
       bytes({2, 0, 0, 0, 16, 0, 0, 0, 17, 0, 0, 0, 17, 0, 0, 0, 'a'})},
  };
  for (const Typed& c : cases) {
    pb::Tensor t = tensor_of(c.dtype, {c.elems});
    c.fill(t);
    const auto tensor = import_tensor(t);
    ASSERT_TRUE(tensor) << c.dtype << ' ' << error_of(tensor);
    EXPECT_EQ(tensor->type.dtype, c.want);
    EXPECT_EQ(*tensor->data, c.data) << c.dtype;
  }
}

TEST(ImportOnnxTensor, RawDataScalarsAndEmptyTensors) {
  pb::Tensor t = tensor_of(kOnnxInt16, {});
  t.set_raw_data(std::string("\x01\x02", 2));
  auto tensor = import_tensor(t);
  ASSERT_TRUE(tensor) << error_of(tensor);
  EXPECT_TRUE(tensor->type.dims.empty());
  EXPECT_EQ(*tensor->data, bytes({1, 2}));
  tensor = import_tensor(tensor_of(kOnnxFloat, {0, 5}));
  ASSERT_TRUE(tensor) << error_of(tensor);
  EXPECT_TRUE(tensor->data->empty());
}

TEST(ImportOnnxTensor, TypesThatNetkitLacks) {
  pb::Tensor t = tensor_of(kOnnxBfloat16, {1});
  t.set_raw_data("ab");
  const auto tensor = import_tensor(t);
  ASSERT_TRUE(tensor) << error_of(tensor);
  EXPECT_EQ(tensor->type.dtype, NK_DTYPE_NONE);
  EXPECT_EQ(tensor->dtype_name, "bfloat16");
}

TEST(ImportOnnxTensor, RefusesWhatDoesNotFit) {
  struct Case {
    std::string_view words;
    int dtype;
    std::vector<int64_t> dims;
    void (*fill)(pb::Tensor&);
  };
  const std::vector<Case> cases = {
      {"raw_data holds 4 bytes", kOnnxFloat, {2}, [](pb::Tensor& t) { t.set_raw_data("abcd"); }},
      {"holds 1 data values, 2 are needed",
       kOnnxFloat,
       {2},
       [](pb::Tensor& t) { t.add_float_data(1); }},
      {"holds 0 data values, 128", kOnnxInt8, {128}, [](pb::Tensor&) {}},
      {"negative dimension -4", kOnnxFloat, {-4}, [](pb::Tensor&) {}},
      {"too large", kOnnxFloat, {int64_t{1} << 31, int64_t{1} << 31}, [](pb::Tensor&) {}},
      {"too many elements", kOnnxInt8, {int64_t{1} << 62, 4}, [](pb::Tensor&) {}},
      {"unknown data type 0", 0, {1}, [](pb::Tensor&) {}},
      {"unknown data type 99", 99, {1}, [](pb::Tensor&) {}},
      {"value 300 does not fit uint8",
       kOnnxUint8,
       {1},
       [](pb::Tensor& t) { t.add_int32_data(300); }},
      {"value -129 does not fit int8",
       kOnnxInt8,
       {1},
       [](pb::Tensor& t) { t.add_int32_data(-129); }},
      {"20 dimensions", kOnnxInt8, std::vector<int64_t>(20, 1), [](pb::Tensor&) {}},
      {"string_data holds 0", kOnnxString, {2}, [](pb::Tensor&) {}},
  };
  for (const Case& c : cases) {
    pb::Tensor t = tensor_of(c.dtype, c.dims);
    c.fill(t);
    const std::string error = error_of(import_tensor(t));
    EXPECT_NE(error.find(c.words), std::string::npos) << error << "\nwanted: " << c.words;
    EXPECT_NE(error.find("initializer 't'"), std::string::npos) << error;
  }
}

TEST(ImportOnnxTensor, SparseInitialisers) {
  const auto import_sparse = [](const std::vector<int64_t>& indices,
                                const std::vector<int64_t>& index_dims) {
    pb::Model model = onnx_model();
    pb::SparseTensor& s = *model.mutable_graph()->add_sparse_initializer();
    s.add_dims(2);
    s.add_dims(3);
    *s.mutable_values() = tensor_of(kOnnxUint8, {2});
    s.mutable_values()->set_name("s");
    s.mutable_values()->set_raw_data("AB");
    *s.mutable_indices() = tensor_of(kOnnxInt64, index_dims);
    for (const int64_t i : indices) s.mutable_indices()->add_int64_data(i);
    return import_model(bytes_of(model), "m.onnx");
  };
  const Bytes want = bytes({0, 'A', 0, 0, 0, 'B'});
  for (const auto& graph : {import_sparse({1, 5}, {2}), import_sparse({0, 1, 1, 2}, {2, 2})}) {
    ASSERT_TRUE(graph) << graph.error().message;
    EXPECT_EQ(*graph->tensors[0].data, want);
  }
  EXPECT_FALSE(import_sparse({1, 6}, {2}));
  EXPECT_FALSE(import_sparse({1, -1}, {2}));
  EXPECT_FALSE(import_sparse({0, 1, 1, 3}, {2, 2}));
  EXPECT_FALSE(import_sparse({1, 2, 3}, {3}));
}

class ExternalData : public ::testing::Test {
 protected:
  ExternalData() : root_(fs::path(::testing::TempDir()) / "netkit_external") {
    fs::remove_all(root_);
    fs::create_directories(root_ / "model" / "sub");
    write(root_ / "secret.bin", "SECRET");
    write(root_ / "model" / "w.bin", "0123456789");
    write(root_ / "model" / "sub" / "v.bin", "abcd");
    fs::create_symlink("../secret.bin", root_ / "model" / "link.bin");
  }
  ~ExternalData() override { fs::remove_all(root_); }

  static void write(const fs::path& path, std::string_view text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  using Entries = std::vector<std::pair<std::string, std::string>>;
  Result<ForeignTensor> import_external(const Entries& entries, const ImportOptions& options = {}) {
    pb::Tensor t = tensor_of(kOnnxUint8, {4});
    t.set_data_location(1);
    for (const auto& [key, value] : entries) {
      t.add_external_data()->set_key(key);
      t.mutable_external_data(t.external_data_size() - 1)->set_value(value);
    }
    return import_tensor(t, (root_ / "model" / "m.onnx").string(), options);
  }

  fs::path root_;
};

TEST_F(ExternalData, IsReadFromTheModelsFolder) {
  auto tensor = import_external({{"location", "w.bin"}, {"offset", "3"}, {"length", "4"}});
  ASSERT_TRUE(tensor) << error_of(tensor);
  EXPECT_EQ(*tensor->data, bytes({'3', '4', '5', '6'}));
  tensor = import_external({{"location", "sub/v.bin"}});
  ASSERT_TRUE(tensor) << error_of(tensor);
  EXPECT_EQ(*tensor->data, bytes({'a', 'b', 'c', 'd'}));
}

TEST_F(ExternalData, StaysInTheFolderAndInTheFile) {
  const std::string absolute = (root_ / "secret.bin").string();
  const std::vector<Entries> cases = {
      {{"location", "../secret.bin"}},
      {{"location", "sub/../../secret.bin"}},
      {{"location", absolute}},
      {{"location", "link.bin"}},
      {{"location", "sub"}},
      {{"location", "missing.bin"}},
      {{"location", std::string("w.bin\0x", 7)}},
      {},
      {{"location", "w.bin"}, {"offset", "7"}},
      {{"location", "w.bin"}, {"offset", "-1"}},
      {{"location", "w.bin"}, {"offset", "18446744073709551615"}},
      {{"location", "w.bin"}, {"length", "5"}},
      {{"location", "w.bin"}, {"length", "x"}},
  };
  for (const Entries& entries : cases) {
    const std::string error = error_of(import_external(entries));
    EXPECT_NE(error.find("external data"), std::string::npos) << error;
    EXPECT_NE(error.find("initializer 't'"), std::string::npos) << error;
  }
  EXPECT_FALSE(import_external({{"location", "w.bin"}}, {.read_external_files = false}));
  EXPECT_FALSE(import_external({{"location", "w.bin"}}, {.max_external_bytes = 3}));
}

}  // namespace
}  // namespace netkit
