// SPDX-License-Identifier: MIT
#include "compiler/emit/c/c_data.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "compiler/emit/c/c_emitter.h"

namespace netkit::emit {
namespace {

template <typename T>
Constant constant_of(std::vector<T> values, nk_dtype dtype, uint32_t alignment) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {"c", std::make_shared<const Bytes>(std::move(bytes)), dtype, alignment};
}

// A file of some KiB can state constants of 500 MB: their size is asked for by every verb.
TEST(CData, CountingWeightsWritesNoneOut) {
  constexpr size_t kBytes = size_t{1} << 40;
  Program program;
  program.schedule.constants = {{"c", ConstData::repeated(Bytes(4), kBytes), NK_FLOAT32, 4}};
  EXPECT_EQ(weight_bytes(program), int64_t{1} << 40);
  EXPECT_GE(model_flash_bytes(program), int64_t{1} << 40);
  EXPECT_FALSE(program.schedule.constants[0].data.is_written());
}

TEST(CData, FloatsReadBackToTheSameBits) {
  for (const float value : {0.1f, 1.0f, -0.0f, 3.4028235e38f, 1e-45f, 16777216.0f, 1e10f}) {
    std::string text = c_float(value);
    ASSERT_EQ(text.back(), 'f');
    text.pop_back();
    EXPECT_NE(text.find_first_of(".e"), std::string::npos) << text;
    const float back = std::strtof(text.c_str(), nullptr);
    EXPECT_EQ(std::memcmp(&back, &value, sizeof value), 0) << text;
  }
  EXPECT_EQ(c_float(std::numeric_limits<float>::infinity()), "INFINITY");
  EXPECT_EQ(c_float(std::nanf("")), "NAN");
}

TEST(CData, ArraysHaveTheirElementType) {
  EXPECT_EQ(c_array("w", constant_of<int8_t>({-128, 127}, NK_INT8, 4)),
            "static const NK_ALIGNED(4) int8_t w[] = {\n    -128, 127,\n};\n");
  EXPECT_EQ(c_array("b", constant_of<int32_t>({INT32_MIN, 5}, NK_INT32, 8)),
            "static const NK_ALIGNED(8) int32_t b[] = {\n    (-2147483647 - 1), 5,\n};\n");
  EXPECT_EQ(c_array("e", constant_of<int8_t>({}, NK_INT8, 4)),
            "static const NK_ALIGNED(4) int8_t e[] = {\n    0,\n};\n");
}

TEST(CData, ParametersFollowTheFields) {
  struct Params {
    int32_t a;
    float b;
    int32_t dims[2];
  } params = {7, 0.5f, {1, -2}};
  const ParamField fields[] = {{"a", "int32_t", offsetof(Params, a), 1},
                               {"b", "float", offsetof(Params, b), 1},
                               {"dims", "int32_t", offsetof(Params, dims), 2}};
  EXPECT_EQ(c_params(fields, std::as_bytes(std::span(&params, 1))), "{\n    7, 0.5f, {1, -2},\n}");
}

}  // namespace
}  // namespace netkit::emit
