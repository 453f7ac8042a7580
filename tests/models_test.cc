// SPDX-License-Identifier: MIT
// Every public model from file to .nk: planned, or refused with a reason.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "compiler/driver/compile.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/import/shared_folder.h"
#include "test_support.h"

namespace netkit::test {
namespace {

// Some files state hundreds of MiB as one repeated element: such are planned, but not written out.
constexpr size_t kMostWritten = size_t{32} << 20;

size_t constant_bytes(const Program& program) {
  size_t total = 0;
  for (const Constant& constant : program.schedule.constants) total += constant.data.size();
  return total;
}

TEST(PublicModels, ArePlannedOrRefusedWithAReason) {
  const auto shared = shared_folder();
  if (!shared) return;
  size_t planned = 0, proven = 0, refused = 0;
  for (const std::filesystem::path& path : models_in(*shared + "/models")) {
    const std::string file = path.string();
    SCOPED_TRACE(file);
    const auto made = driver::compile_file(file, {});
    if (!made) {
      EXPECT_EQ(made.error().code, ErrorCode::kInput);
      EXPECT_FALSE(made.error().message.empty());
      ++refused;
      continue;
    }
    if (constant_bytes(made->program) <= kMostWritten) {
      EXPECT_TRUE(write_nk(made->program));
    }
    EXPECT_LE(made->layout.lower_bound_bytes, made->layout.arena_bytes);
    ++planned;
    proven += made->layout.proven_minimal ? 1 : 0;
  }
  std::printf("note: public models: %zu planned (%zu proven minimal), %zu refused\n", planned,
              proven, refused);
  EXPECT_GE(planned, 260u);
}

}  // namespace
}  // namespace netkit::test
