// SPDX-License-Identifier: MIT
#include "runtime/executor.h"

#include <gtest/gtest.h>

#include <random>

#include "netkit/model.hpp"
#include "runtime/toy_program_test.h"

namespace netkit {
namespace {

using toy::ExactBlock;

Bytes toy_file() {
  const Result<Bytes> file = write_nk(toy::program());
  EXPECT_TRUE(file.has_value()) << file.error().message;
  return file.value_or(Bytes{});
}

size_t arena_bytes_of(ExactBlock& file) {
  size_t bytes = 0, alignment = 0;
  EXPECT_EQ(nk_program_need(file.data(), file.size(), &bytes, &alignment), NK_OK);
  EXPECT_EQ(alignment, 16u);
  return bytes;
}

Bytes run_once(Executor& executor, const Bytes& x) {
  std::memcpy(executor.input_data(0), x.data(), x.size());
  EXPECT_EQ(executor.run(), NK_STATUS_OK);
  Bytes y(executor.view().output(0).bytes);
  std::memcpy(y.data(), executor.output_data(0), y.size());
  return y;
}

TEST(Executor, ContextIsSmall) { EXPECT_LE(sizeof(Executor), 128u); }

TEST(Executor, RunsWhateverTheArenaHeld) {
  ExactBlock file(toy_file());
  const size_t need = arena_bytes_of(file);
  std::mt19937 random(1);
  for (const int poison : {0x00, 0xFF, 0xA5, -1}) {
    ExactBlock arena(need, 16, poison);
    if (poison < 0) {
      for (size_t i = 0; i < need; ++i) arena.data()[i] = static_cast<uint8_t>(random());
    }
    Executor executor;
    ASSERT_TRUE(executor.load(file.data(), file.size(), arena.data(), need, toy::kernels(),
                              NK_CHECK_ALL).ok());
    const Bytes x = toy::ramp(toy::kCount, 17, 11);
    EXPECT_EQ(run_once(executor, x), toy::expected(x));
  }
}

TEST(Executor, ThousandthRunEqualsTheFirst) {
  ExactBlock file(toy_file());
  ExactBlock arena(arena_bytes_of(file), 16);
  Executor executor;
  ASSERT_TRUE(executor.load(file.data(), file.size(), arena.data(), arena.size(),
                            toy::kernels()).ok());
  const Bytes x = toy::ramp(toy::kCount, 3, 7);
  for (int run = 0; run < 1000; ++run) ASSERT_EQ(run_once(executor, x), toy::expected(x));
}

TEST(Executor, ReloadsIntoTheSameArena) {
  ExactBlock file(toy_file());
  ExactBlock arena(arena_bytes_of(file), 16);
  Executor executor;
  for (int load = 0; load < 3; ++load) {
    ASSERT_TRUE(executor.load(file.data(), file.size(), arena.data(), arena.size(),
                              toy::kernels()).ok());
    const Bytes x = toy::ramp(toy::kCount, load, 9);
    EXPECT_EQ(run_once(executor, x), toy::expected(x));
  }
}

TEST(Executor, TwoModelsSideBySide) {
  ExactBlock file(toy_file());
  Program other = toy::program();
  other.schedule.steps[0].params = toy::bytes_of(toy::AffineParams{toy::kCount, 9});
  ExactBlock other_file(write_nk(other).value());
  ExactBlock arena(arena_bytes_of(file), 16), other_arena(arena_bytes_of(other_file), 16);
  Executor a, b;
  ASSERT_TRUE(a.load(file.data(), file.size(), arena.data(), arena.size(), toy::kernels()).ok());
  ASSERT_TRUE(b.load(other_file.data(), other_file.size(), other_arena.data(),
                     other_arena.size(), toy::kernels()).ok());
  const Bytes x = toy::ramp(toy::kCount, 40, 3);
  const Bytes of_b = run_once(b, x);
  EXPECT_NE(of_b, toy::expected(x));
  EXPECT_EQ(run_once(a, x), toy::expected(x));
  EXPECT_EQ(run_once(b, x), of_b);
}

TEST(Executor, OneByteLessIsRefusedWithTheNeed) {
  ExactBlock file(toy_file());
  const size_t need = arena_bytes_of(file);
  EXPECT_EQ(need, 184u);
  ExactBlock arena(need - 1, 16);
  Executor executor;
  EXPECT_EQ(executor.load(file.data(), file.size(), arena.data(), need - 1,
                          toy::kernels()).status,
            NK_STATUS_ARENA_TOO_SMALL);
  EXPECT_EQ(executor.view().header().arena_bytes, need);
  EXPECT_EQ(executor.run(), NK_STATUS_NOT_LOADED);
}

TEST(Executor, MisalignedFileOrArenaIsRefused) {
  const Bytes bytes = toy_file();
  ExactBlock block(bytes.size() + 8, 16), arena(256, 16), file(bytes);
  std::memcpy(block.data() + 8, bytes.data(), bytes.size());
  Executor executor;
  EXPECT_EQ(executor.load(block.data() + 8, bytes.size(), arena.data(), 256,
                          toy::kernels()).status,
            NK_STATUS_MISALIGNED);
  EXPECT_FALSE(executor.view().is_open());
  EXPECT_EQ(executor.load(file.data(), file.size(), arena.data() + 8, 248,
                          toy::kernels()).status,
            NK_STATUS_MISALIGNED);
  EXPECT_TRUE(executor.view().is_open());
  EXPECT_FALSE(executor.is_loaded());
  EXPECT_EQ(executor.load(file.data(), file.size(), nullptr, 256, toy::kernels()).status,
            NK_STATUS_BAD_ARGUMENT);
  EXPECT_EQ(executor.load(nullptr, 100, arena.data(), 256, toy::kernels()).status,
            NK_STATUS_BAD_ARGUMENT);
}

TEST(Executor, UnknownKernelIsRefusedWithItsStep) {
  ExactBlock file(toy_file()), arena(arena_bytes_of(file), 16);
  const KernelTable affine_only = {&toy::kKernels[toy::kKernels[0].run == toy::affine ? 0 : 1],
                                   1};
  Executor executor;
  const Fault fault =
      executor.load(file.data(), file.size(), arena.data(), arena.size(), affine_only);
  EXPECT_EQ(fault.status, NK_STATUS_UNKNOWN_KERNEL);
  EXPECT_EQ(fault.section, NK_SECTION_STEPS);
  EXPECT_EQ(fault.index, 1);
  // Without the check the run itself finds out.
  ASSERT_TRUE(executor.load(file.data(), file.size(), arena.data(), arena.size(), affine_only,
                            NK_CHECK_NONE).ok());
  EXPECT_EQ(executor.run(), NK_STATUS_UNKNOWN_KERNEL);
}

TEST(Executor, UnsortedTableIsRefused) {
  ExactBlock file(toy_file()), arena(arena_bytes_of(file), 16);
  const nk_kernel_entry reversed[] = {toy::kKernels[1], toy::kKernels[0]};
  Executor executor;
  EXPECT_EQ(executor.load(file.data(), file.size(), arena.data(), arena.size(), {reversed, 2})
                .status,
            NK_STATUS_BAD_ARGUMENT);
}

TEST(Executor, TableWithoutAParameterCheckIsRefused) {
  ExactBlock file(toy_file()), arena(arena_bytes_of(file), 16);
  auto unchecked = toy::kKernels;
  for (nk_kernel_entry& entry : unchecked) entry.fit = nullptr;
  const KernelTable table = {unchecked.data(), unchecked.size()};
  Executor executor;
  EXPECT_EQ(executor.load(file.data(), file.size(), arena.data(), arena.size(), table).status,
            NK_STATUS_BAD_ARGUMENT);
  EXPECT_TRUE(executor.load(file.data(), file.size(), arena.data(), arena.size(), table,
                            NK_CHECK_NONE).ok());
}

TEST(Executor, HookSeesEveryStep) {
  ExactBlock file(toy_file()), arena(arena_bytes_of(file), 16);
  Executor executor;
  ASSERT_TRUE(executor.load(file.data(), file.size(), arena.data(), arena.size(),
                            toy::kernels()).ok());
  struct Seen {
    std::vector<const void*> outputs;
  } seen;
  const auto hook = [](void* user, uint32_t index, const nk_file_step& step,
                       void* const* outputs) {
    auto& list = static_cast<Seen*>(user)->outputs;
    EXPECT_EQ(index, list.size());
    EXPECT_EQ(step.out_count, 1);
    list.push_back(outputs[0]);
  };
  ASSERT_EQ(executor.run(hook, &seen), NK_STATUS_OK);
  EXPECT_EQ(seen.outputs, (std::vector<const void*>{arena.data() + 48, arena.data() + 96}));
}

TEST(Model, FacesAgree) {
  ExactBlock file(toy_file());
  EXPECT_EQ(Model::needed_arena_bytes(file.data(), file.size()), 184u);
  ExactBlock arena(184, 16);
  Model model;
  EXPECT_EQ(model.run(), NK_ERR_MODEL_NOT_LOADED);
  EXPECT_EQ(model.input(0).data, nullptr);
  ASSERT_EQ(model.load(file.data(), file.size(), arena.data(), 183, toy::kKernels),
            NK_ERR_ARENA_OVERFLOW);
  EXPECT_EQ(model.arena_bytes(), 184u);
  ASSERT_EQ(model.load(file.data(), file.size(), arena.data(), 184, toy::kKernels), NK_OK);
  ASSERT_EQ(model.input_count(), 1u);
  ASSERT_EQ(model.output_count(), 1u);
  const ModelTensor x = model.input(0);
  EXPECT_STREQ(x.name, "x");
  EXPECT_EQ(x.data, arena.data());
  EXPECT_EQ(x.dtype, NK_DTYPE_UINT8);
  EXPECT_EQ(x.rank, 3u);
  EXPECT_EQ(x.dims[2], 8u);
  EXPECT_EQ(x.elements, 40u);
  EXPECT_EQ(x.scale, 0.5f);
  EXPECT_EQ(x.zero_point, 3);
  const Bytes in = toy::ramp(toy::kCount, 0, 1);
  std::memcpy(x.data, in.data(), in.size());
  ASSERT_EQ(model.run(), NK_OK);
  EXPECT_EQ(std::memcmp(model.output(0).data, toy::expected(in).data(), in.size()), 0);
  EXPECT_EQ(model.output(1).data, nullptr);
}

TEST(Model, QuantizeRoundsToNearestAwayFromZero) {
  ModelTensor tensor{};
  tensor.scale = 1.0f;
  tensor.zero_point = -3;
  EXPECT_EQ(tensor.quantize(0.49999997f, -128, 127), -3);
  EXPECT_EQ(tensor.quantize(0.5f, -128, 127), -2);
  EXPECT_EQ(tensor.quantize(-0.5f, -128, 127), -4);
  EXPECT_EQ(tensor.quantize(1e30f, -128, 127), 127);
  EXPECT_EQ(tensor.quantize(-1e30f, -128, 127), -128);
  EXPECT_EQ(tensor.quantize(__builtin_nanf(""), -128, 127), -3);
  EXPECT_EQ(tensor.dequantize(5), 8.0f);
}

TEST(KernelTable, OfTheLibraryIsSorted) {
  const KernelTable all = all_kernels();
  EXPECT_TRUE(is_sorted(all.entries, all.count));
  for (uint32_t i = 0; i < all.count; ++i) {
    EXPECT_EQ(find_entry(all, all.entries[i].id), &all.entries[i]);
  }
  EXPECT_EQ(find_entry(all, 0), nullptr);
  EXPECT_EQ(kernel_id(""), 2166136261u);
  EXPECT_EQ(kernel_id("a"), 0xE40C292Cu);
  EXPECT_EQ(kernel_id("foobar"), 0xBF9CF968u);
}

}  // namespace
}  // namespace netkit
