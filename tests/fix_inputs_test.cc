// SPDX-License-Identifier: MIT
// Inputs that become constants: what is refused for a shape that comes with the data runs then.
#include <gtest/gtest.h>

#include "compiler/driver/compile.h"
#include "test_support.h"

namespace netkit::test {
namespace {

TEST(FixedInputs, DecideShapes) {
  const auto shared = shared_folder();
  if (!shared) return;
  const std::string model = *shared + "/cases/refuse_reshape_runtime_shape/model.onnx";
  const auto open = driver::compile_file(model, {});
  ASSERT_FALSE(open);
  driver::CompileOptions options;
  const std::string name = "s";
  options.fixed = {{name, "2,8"}};
  const auto made = driver::compile_file(model, options);
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->schedule.inputs.size(), 1u);
  EXPECT_EQ(made->schedule.outputs[0].type.dims, (Dims{2, 8}));
  options.fixed = {{"nobody", "1"}};
  const auto unknown = driver::compile_file(model, options);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kUsage);
  EXPECT_NE(unknown.error().hint.find(name), std::string::npos);
  options.fixed = {{name, "3"}};
  EXPECT_FALSE(driver::compile_file(model, options));
}

}  // namespace
}  // namespace netkit::test
