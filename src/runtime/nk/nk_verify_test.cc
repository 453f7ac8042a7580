// SPDX-License-Identifier: MIT
// The verifier against cuts, single-byte mutations and forged checksums. Files and arenas stand in
// heap blocks of exactly their size, so that AddressSanitizer sees any access beyond them.
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "runtime/executor.h"
#include "runtime/nk/crc32.h"
#include "runtime/toy_program_test.h"

namespace netkit {
namespace {

using toy::ExactBlock;

TEST(Crc32, KnownValues) {
  alignas(4) const char text[] = " 123456789";
  EXPECT_EQ(crc32("", 0), 0u);
  EXPECT_EQ(crc32(nullptr, 0), 0u);
  EXPECT_EQ(crc32(text + 1, 9), 0xCBF43926u);
  EXPECT_EQ(crc32("123456789", 9), 0xCBF43926u);
}

Bytes toy_bytes() {
  return write_nk(toy::program()).value();
}

// Loads and, when that is accepted, runs in an arena of the size that the file states.
Fault load_and_run(const Bytes& bytes, nk_check_t check) {
  ExactBlock file(bytes);
  NkView view;
  if (const Fault fault = view.open(file.data(), file.size()); !fault.ok()) return fault;
  if (view.header().arena_bytes > 4096) return {NK_STATUS_ARENA_TOO_SMALL};
  ExactBlock arena(view.header().arena_bytes, 16);
  Executor executor;
  const Fault fault =
      executor.load(file.data(), file.size(), arena.data(), arena.size(), toy::kernels(), check);
  if (!fault.ok()) return fault;
  EXPECT_EQ(executor.run(), NK_STATUS_OK);
  EXPECT_EQ(std::memcmp(file.data(), bytes.data(), bytes.size()), 0) << "the file was written";
  return fault;
}

TEST(NkVerify, EveryCutIsRefused) {
  const Bytes file = toy_bytes();
  for (size_t size = 0; size < file.size(); ++size) {
    const Bytes cut(file.begin(), file.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_EQ(load_and_run(cut, NK_CHECK_STRUCTURE).status, NK_STATUS_TRUNCATED) << size;
  }
  Bytes longer = file;
  longer.resize(file.size() + 100, std::byte{0xFF});
  EXPECT_TRUE(load_and_run(longer, NK_CHECK_ALL).ok());
}

TEST(NkVerify, MutationsAreRefusedOrHarmless) {
  const Bytes file = toy_bytes();
  std::mt19937 random(5);
  int refused = 0, ran = 0;
  for (int i = 0; i < 2000; ++i) {
    Bytes mutated = file;
    std::byte& at = mutated[random() % mutated.size()];
    at ^= static_cast<std::byte>(1 + random() % 255);
    const Fault fault = load_and_run(mutated, NK_CHECK_STRUCTURE);
    (fault.ok() ? ran : refused) += 1;
  }
  EXPECT_GT(refused, 1000);  // header, table and control sections
  EXPECT_GT(ran, 100);       // weights, names, texts
}

TEST(NkVerify, PayloadCheckFindsEveryMutationOfASection) {
  const Bytes file = toy_bytes();
  ExactBlock block(file);
  NkView view;
  ASSERT_TRUE(view.open(block.data(), block.size()).ok());
  std::vector<bool> covered(file.size(), false);
  for (uint32_t i = 0; i < view.section_count(); ++i) {
    for (uint32_t k = 0; k < view.section(i).bytes; ++k) covered[view.section(i).offset + k] = true;
  }
  for (size_t at = 0; at < file.size(); ++at) {
    if (!covered[at]) continue;
    Bytes mutated = file;
    mutated[at] ^= std::byte{0x10};
    EXPECT_EQ(load_and_run(mutated, NK_CHECK_ALL).status, NK_STATUS_BAD_CRC) << at;
  }
}

// Changes a file, then forges every checksum, so that only the rules themselves can refuse it.
Bytes forged(const std::function<void(ExactBlock&, NkView&)>& change) {
  ExactBlock file(toy_bytes());
  NkView view;
  EXPECT_TRUE(view.open(file.data(), file.size()).ok());
  change(file, view);
  toy::forge_checksums(file.data(), file.size());
  return file.bytes();
}

template <typename T>
T& writable(const T& in_file) {
  return const_cast<T&>(in_file);
}

nk_file_section& section(NkView& view, nk_section_kind kind) {
  return writable(*view.find_section(kind));
}

struct Rule {
  const char* what;
  std::function<void(NkView&)> change;
  Status status = NK_STATUS_CORRUPT;
  int where = -1;  // section of the fault; -1: header or table
};

nk_file_step& step(NkView& view, int index) {
  const nk_file_step* at = view.first_step();
  while (index-- > 0) at = NkView::next_step(at);
  return writable(*at);
}
nk_file_arg& arg(NkView& view, int of_step, int index) {
  return writable(NkView::args(&step(view, of_step))[index]);
}
template <typename Params>
Params& params(NkView& view, int of_step) {
  return writable(*static_cast<const Params*>(view.params(&step(view, of_step))));
}
nk_file_case& test_case(NkView& view) {
  return writable(
      *reinterpret_cast<const nk_file_case*>(view.payload(*view.find_section(NK_SECTION_TESTS))));
}

const std::vector<Rule>& rules() {
  constexpr int kSteps = NK_SECTION_STEPS, kInputs = NK_SECTION_INPUTS;
  static const std::vector<Rule> list = {
      {"magic", [](NkView& v) { writable(v.header()).magic[3] = 'X'; }, NK_STATUS_BAD_MAGIC},
      {"newer", [](NkView& v) { writable(v.header()).version = 6; }, NK_STATUS_BAD_VERSION},
      {"older", [](NkView& v) { writable(v.header()).version = 4; }, NK_STATUS_BAD_VERSION},
      {"size", [](NkView& v) { ++writable(v.header()).file_bytes; }, NK_STATUS_TRUNCATED},
      {"no sections", [](NkView& v) { writable(v.header()).section_count = 0; }},
      {"sections", [](NkView& v) { writable(v.header()).section_count = 33; }},
      {"table", [](NkView& v) { writable(v.header()).section_count = 0x0AAAAAAB; }},
      {"arena alignment", [](NkView& v) { writable(v.header()).arena_alignment = 12; }},
      {"file alignment", [](NkView& v) { writable(v.header()).file_alignment = 8; }},
      {"arena", [](NkView& v) { writable(v.header()).arena_bytes = 0x80000000u; }},
      {"arena less", [](NkView& v) { writable(v.header()).arena_bytes = 183; }, NK_STATUS_CORRUPT,
       kSteps},
      {"kind twice", [](NkView& v) { section(v, NK_SECTION_PLAN).kind = NK_SECTION_METADATA; }},
      {"kind 0", [](NkView& v) { section(v, NK_SECTION_PLAN).kind = 0; }},
      {"required kind missing",
       [](NkView& v) {
         section(v, NK_SECTION_PARAMS).flags = 0;
         section(v, NK_SECTION_PARAMS).kind = 99;
       }},
      {"unknown required kind",
       [](NkView& v) {
         section(v, NK_SECTION_PLAN).flags = NK_SECTION_REQUIRED;
         section(v, NK_SECTION_PLAN).kind = 99;
       },
       NK_STATUS_UNSUPPORTED},
      {"flags", [](NkView& v) { section(v, NK_SECTION_STEPS).flags = NK_SECTION_REQUIRED; }},
      {"section offset", [](NkView& v) { section(v, NK_SECTION_TESTS).offset += 8; }},
      {"section overlap", [](NkView& v) { section(v, NK_SECTION_PARAMS).offset -= 16; }},
      {"section bytes", [](NkView& v) { section(v, NK_SECTION_TESTS).bytes = 0xFFFFFFF0u; }},
      {"tensor count", [](NkView& v) { section(v, NK_SECTION_INPUTS).count = 2; }},
      {"tensor bytes", [](NkView& v) { section(v, NK_SECTION_INPUTS).bytes = 47; }},
      {"step count", [](NkView& v) { section(v, NK_SECTION_STEPS).count = 3; }, NK_STATUS_CORRUPT,
       kSteps},
      {"step count less", [](NkView& v) { section(v, NK_SECTION_STEPS).count = 1; },
       NK_STATUS_CORRUPT, kSteps},
      {"strings end", [](NkView& v) { --section(v, NK_SECTION_STRINGS).bytes; }, NK_STATUS_CORRUPT,
       NK_SECTION_STRINGS},
      {"dtype", [](NkView& v) { writable(v.input(0)).dtype = 14; }, NK_STATUS_CORRUPT, kInputs},
      {"dtype 0", [](NkView& v) { writable(v.input(0)).dtype = 0; }, NK_STATUS_CORRUPT, kInputs},
      {"dtype 200", [](NkView& v) { writable(v.input(0)).dtype = 200; }, NK_STATUS_CORRUPT,
       kInputs},
      {"rank", [](NkView& v) { writable(v.input(0)).rank = 7; }, NK_STATUS_CORRUPT, kInputs},
      {"dims beyond rank", [](NkView& v) { writable(v.input(0)).dims[5] = 2; }, NK_STATUS_CORRUPT,
       kInputs},
      {"dims wrap",
       [](NkView& v) {
         writable(v.input(0)).dims[0] = 0x80000000u;
         writable(v.input(0)).dims[1] = 0x80000000u;
         writable(v.input(0)).dims[2] = 4;
       },
       NK_STATUS_CORRUPT, kInputs},
      {"dims", [](NkView& v) { ++writable(v.input(0)).dims[0]; }, NK_STATUS_CORRUPT, kInputs},
      {"tensor name", [](NkView& v) { writable(v.input(0)).name = 9999; }, NK_STATUS_CORRUPT,
       kInputs},
      {"tensor offset", [](NkView& v) { writable(v.output(0)).arena_offset = 160; },
       NK_STATUS_CORRUPT, NK_SECTION_OUTPUTS},
      {"tensor offset wrap", [](NkView& v) { writable(v.output(0)).arena_offset = 0xFFFFFFF0u; },
       NK_STATUS_CORRUPT, NK_SECTION_OUTPUTS},
      {"tensor alignment", [](NkView& v) { writable(v.input(0)).arena_offset = 8; },
       NK_STATUS_CORRUPT, kInputs},
      {"kernel", [](NkView& v) { ++step(v, 1).kernel_id; }, NK_STATUS_UNKNOWN_KERNEL, kSteps},
      {"params size", [](NkView& v) { step(v, 1).params_bytes = 12; }, NK_STATUS_CORRUPT, kSteps},
      {"params place", [](NkView& v) { step(v, 1).params_offset = 16; }, NK_STATUS_CORRUPT, kSteps},
      {"params alignment", [](NkView& v) { step(v, 1).params_offset = 4; }, NK_STATUS_CORRUPT,
       kSteps},
      {"params wrap", [](NkView& v) { step(v, 1).params_offset = 0xFFFFFFF8u; }, NK_STATUS_CORRUPT,
       kSteps},
      {"arguments", [](NkView& v) { step(v, 1).in_count = 24; }, NK_STATUS_CORRUPT, kSteps},
      {"no output",
       [](NkView& v) {
         step(v, 1).in_count = 3;
         step(v, 1).out_count = 0;
       },
       NK_STATUS_CORRUPT, kSteps},
      {"scratch outside", [](NkView& v) { step(v, 1).scratch_bytes = 41; }, NK_STATUS_CORRUPT,
       kSteps},
      {"scratch alignment", [](NkView& v) { step(v, 1).scratch_offset = 136; }, NK_STATUS_CORRUPT,
       kSteps},
      {"scratch without bytes", [](NkView& v) { step(v, 1).scratch_bytes = 0; }, NK_STATUS_CORRUPT,
       kSteps},
      {"input outside", [](NkView& v) { arg(v, 1, 0).bytes = 185; }, NK_STATUS_CORRUPT, kSteps},
      {"input alignment", [](NkView& v) { arg(v, 1, 0).place = 8; }, NK_STATUS_CORRUPT, kSteps},
      {"constant outside", [](NkView& v) { ++arg(v, 0, 1).bytes; }, NK_STATUS_CORRUPT, kSteps},
      {"constant alignment", [](NkView& v) { arg(v, 0, 1) = {NK_ARG_CONSTANT | 2, 8}; },
       NK_STATUS_CORRUPT, kSteps},
      {"absent with bytes", [](NkView& v) { arg(v, 0, 2).bytes = 1; }, NK_STATUS_CORRUPT, kSteps},
      {"output constant", [](NkView& v) { arg(v, 0, 3).place = NK_ARG_CONSTANT; },
       NK_STATUS_CORRUPT, kSteps},
      {"output absent", [](NkView& v) { arg(v, 0, 3) = {NK_ARG_ABSENT, 0}; }, NK_STATUS_CORRUPT,
       kSteps},
      {"output outside", [](NkView& v) { arg(v, 1, 2).place = 160; }, NK_STATUS_CORRUPT, kSteps},
      {"more elements than an argument holds",
       [](NkView& v) { params<toy::AffineParams>(v, 0).count = toy::kCount + 1; },
       NK_STATUS_BAD_PARAMS, kSteps},
      {"no elements", [](NkView& v) { params<toy::MixParams>(v, 1).count = -1; },
       NK_STATUS_BAD_PARAMS, kSteps},
      {"shift", [](NkView& v) { params<toy::MixParams>(v, 1).shift = 32; }, NK_STATUS_BAD_PARAMS,
       kSteps},
      {"scratch too small", [](NkView& v) { step(v, 1).scratch_bytes = toy::kCount - 1; },
       NK_STATUS_BAD_PARAMS, kSteps},
      {"scratch over the output", [](NkView& v) { step(v, 1).scratch_offset = 96; },
       NK_STATUS_BAD_PARAMS, kSteps},
      {"case data", [](NkView& v) { test_case(v).data_bytes += 16; }, NK_STATUS_CORRUPT,
       NK_SECTION_TESTS},
      {"case place", [](NkView& v) { test_case(v).data_offset += 16; }, NK_STATUS_CORRUPT,
       NK_SECTION_TESTS},
      {"case name", [](NkView& v) { test_case(v).name = 0x7FFFFFFF; }, NK_STATUS_CORRUPT,
       NK_SECTION_TESTS},
      {"cases", [](NkView& v) { section(v, NK_SECTION_TESTS).count = 0x10000001; },
       NK_STATUS_CORRUPT, NK_SECTION_TESTS},
  };
  return list;
}

TEST(NkVerify, EveryRuleHoldsAgainstForgedChecksums) {
  for (const Rule& rule : rules()) {
    const Bytes file = forged([&rule](ExactBlock&, NkView& view) { rule.change(view); });
    const Fault fault = load_and_run(file, NK_CHECK_ALL);
    EXPECT_EQ(fault.status, rule.status) << rule.what;
    EXPECT_EQ(fault.section, rule.where < 0 ? 0 : rule.where) << rule.what;
  }
}

TEST(NkVerify, SkipsUnknownOptionalSectionsAndNewerMinors) {
  const Bytes file = forged([](ExactBlock&, NkView& view) {
    section(view, NK_SECTION_PLAN).kind = 4711;
    writable(view.header()).minor = 3;
  });
  EXPECT_TRUE(load_and_run(file, NK_CHECK_ALL).ok());
}

TEST(NkVerify, PayloadNeedsAnOpenFile) {
  EXPECT_EQ(NkView().verify_payload().status, NK_STATUS_NOT_LOADED);
  EXPECT_EQ(NkView().verify_structure(toy::kernels()).status, NK_STATUS_NOT_LOADED);
}

}  // namespace
}  // namespace netkit
