// SPDX-License-Identifier: MIT
#include "compiler/emit/slice/slicer.h"

#include <gtest/gtest.h>

#include "compiler/emit/slice/chunks.h"
#include "compiler/emit/slice/names.h"

namespace netkit::emit {
namespace {

constexpr std::string_view kHeader = R"(/* SPDX */
#ifndef A_H
#define A_H
#include <stdint.h>
#include "other.h"

/* Bits of a mode. */
typedef enum mode { MODE_A = 1, MODE_B = 2 } mode;
typedef void (*callback)(int value);
#define TWICE(x) \
  ((x) * 2)
typedef struct pair { int a; int b; } pair;
static inline int sum(const pair* p) {
  return TWICE(p->a) + p->b;
}
static inline int unused(void) { return MODE_B; }
int kernel(const pair* p);
#endif
)";

constexpr std::string_view kSource = R"(#include <math.h>
#include <string.h>
#include "a.h"

static const int kTable[2] = {1, 2};

static int helper(int x) { return x + kTable[0]; }

int kernel(const pair* p) {
  return helper(sum(p));
}

float other(float x) { return expf(x); }
)";

constexpr std::string_view kSecond = R"(#include "a.h"
static const int kTable[1] = {3};
static int helper(int x) { return x - kTable[0]; }
int second(const pair* p) { return helper(sum(p)); }
)";

const SourceFile kFiles[] = {{"a.h", kHeader}, {"a.c", kSource}, {"b.c", kSecond}};

size_t position(const std::string& text, std::string_view what) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what << " in\n" << text;
  return at;
}

TEST(Slicer, TakesWhatIsUsedBeforeItsUse) {
  const auto slice = slice_sources(SourceIndex(kFiles), {"kernel"}, true);
  ASSERT_TRUE(slice.has_value());
  const std::string& code = slice->code;
  EXPECT_LT(position(code, "#define TWICE"), position(code, "static inline int sum"));
  EXPECT_LT(position(code, "kTable[2]"), position(code, "static int helper"));
  EXPECT_LT(position(code, "static int helper"), position(code, "static int kernel("));
  EXPECT_EQ(code.find("unused"), std::string::npos);
  EXPECT_EQ(code.find("expf"), std::string::npos);
  EXPECT_EQ(code.find("MODE_A"), std::string::npos);
  EXPECT_EQ(slice->includes, std::vector<std::string>{"<stdint.h>"});
}

TEST(Slicer, IncludesMathOnlyForItsFunctions) {
  const auto slice = slice_sources(SourceIndex(kFiles), {"other"}, true);
  ASSERT_TRUE(slice.has_value());
  EXPECT_EQ(slice->includes, std::vector<std::string>{"<math.h>"});
}

TEST(Slicer, RenamesEqualStaticNamesOfTwoFiles) {
  const auto slice = slice_sources(SourceIndex(kFiles), {"kernel", "second"}, true);
  ASSERT_TRUE(slice.has_value());
  position(slice->code, "int helper(int x) { return x + kTable[0]; }");
  position(slice->code, "int helper_2(int x) { return x - kTable_2[0]; }");
  position(slice->code, "static const int kTable_2[1] = {3};");
  position(slice->code, "return helper_2(sum(p));");
}

TEST(Slicer, KeepsLinkageWhenAsked) {
  const auto slice = slice_sources(SourceIndex(kFiles), {"kernel"}, false);
  ASSERT_TRUE(slice.has_value());
  EXPECT_EQ(slice->code.find("static int kernel"), std::string::npos);
}

TEST(Slicer, NamesAMissingRoot) {
  const auto slice = slice_sources(SourceIndex(kFiles), {"absent"}, true);
  ASSERT_FALSE(slice.has_value());
  EXPECT_NE(slice.error().message.find("absent"), std::string::npos);
}

TEST(Chunks, EnumeratorsAndTypesAreNamed) {
  const ChunkedFile file = cut_into_chunks(kHeader);
  ASSERT_GE(file.chunks.size(), 4u);
  EXPECT_EQ(file.chunks[0].defines, (std::vector<std::string>{"mode", "mode", "MODE_A", "MODE_B"}));
  EXPECT_EQ(file.chunks[1].defines, std::vector<std::string>{"callback"});
  EXPECT_EQ(file.chunks[2].defines, std::vector<std::string>{"TWICE"});
  EXPECT_NE(file.chunks[0].text.find("Bits of a mode"), std::string::npos);
}

TEST(Chunks, ListMacrosStandExpanded) {
  const ChunkedFile file = cut_into_chunks(R"(
#define COLOURS(X) X(RED, 1, "red") \
  X(BLUE, 2, "blue")
typedef enum colour {
  NONE = 0,
#define ITEM(name, value, text) name = value,
  COLOURS(ITEM)
#undef ITEM
} colour;
#define OPS(X) X(add) X(sub)
#define OP_PARAMS(op) typedef pair nk_##op##_params;
OPS(OP_PARAMS)
#undef OP_PARAMS
typedef pair first, second[2],
    third;
)");
  std::vector<std::string> names;
  for (const Chunk& chunk : file.chunks) {
    names.insert(names.end(), chunk.defines.begin(), chunk.defines.end());
  }
  const std::vector<std::string> wanted = {
      "COLOURS",   "colour",        "colour",        "NONE",  "RED",    "BLUE", "OPS",
      "OP_PARAMS", "nk_add_params", "nk_sub_params", "first", "second", "third"};
  EXPECT_EQ(names, wanted);
}

TEST(Names, FieldsAndLocalsAreNotTakenFromOutside) {
  EXPECT_EQ(outer_names_of("int f(const pair* sum) { return sum->product + p.total * used; }"),
            (std::vector<std::string>{"int", "f", "const", "pair", "return", "p", "used"}));
  EXPECT_EQ(outer_names_of("#define TWICE(sum) ((sum) * factor)"),
            std::vector<std::string>{"factor"});
  EXPECT_EQ(outer_names_of("void g(void) { int32_t k, sum = helper(k); }"),
            (std::vector<std::string>{"void", "g", "int32_t", "helper"}));
  EXPECT_EQ(outer_names_of("int h(void) {\n#if HAS_IT\n  return 1;\n#endif\n}"),
            (std::vector<std::string>{"int", "h", "void", "if", "HAS_IT", "return", "endif"}));
}

// The header that a file includes decides which of two equal names it means.
TEST(Slicer, TakesTheNameThatTheFileSees) {
  const SourceFile files[] = {
      {"one.h", "static inline int inverse(int x) { return x + 1; }\n"},
      {"two.h", "static inline int inverse(int x) { return x + 2; }\n"},
      {"k.c", "#include \"two.h\"\nint k(int x) { return inverse(x); }\n"},
  };
  const auto slice = slice_sources(SourceIndex(files), {"k"}, true);
  ASSERT_TRUE(slice.has_value());
  EXPECT_EQ(slice->code.find("x + 1"), std::string::npos);
  position(slice->code, "x + 2");
}

}  // namespace
}  // namespace netkit::emit
