// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstring>

#include "netkit.h"

namespace {

TEST(CProgram, StorageThatWasNeverLoadedFailsWhateverItHolds) {
  for (const int fill : {0x00, 0x01, 0xA5, 0xFF}) {
    nk_program_t program;
    std::memset(&program, fill, sizeof program);
    nk_program_tensor_t tensor;
    EXPECT_EQ(nk_program_run(&program), NK_ERR_MODEL_NOT_LOADED);
    EXPECT_EQ(nk_program_input(&program, 0, &tensor), NK_ERR_MODEL_NOT_LOADED);
    EXPECT_EQ(nk_program_output(&program, 0, &tensor), NK_ERR_MODEL_NOT_LOADED);
    EXPECT_EQ(nk_program_input_count(&program), 0u);
    EXPECT_EQ(nk_program_output_count(&program), 0u);
    EXPECT_EQ(nk_program_arena_bytes(&program), 0u);
    EXPECT_EQ(nk_program_arena_alignment(&program), 0u);
  }
}

TEST(CProgram, NullIsRefused) {
  nk_program_tensor_t tensor;
  EXPECT_EQ(nk_program_run(nullptr), NK_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(nk_program_input(nullptr, 0, &tensor), NK_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(nk_program_output(nullptr, 0, &tensor), NK_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(nk_program_input_count(nullptr), 0u);
}

TEST(CProgram, AFailedLoadLeavesNothingToRun) {
  nk_program_t program;
  std::memset(&program, 0xA5, sizeof program);
  alignas(16) const unsigned char file[64] = {};
  EXPECT_NE(nk_program_load(&program, file, sizeof file, nullptr, 0), NK_OK);
  EXPECT_EQ(nk_program_run(&program), NK_ERR_MODEL_NOT_LOADED);
  EXPECT_EQ(nk_program_input_count(&program), 0u);
}

}  // namespace
