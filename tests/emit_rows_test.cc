// SPDX-License-Identifier: MIT
// Every row of every kernels.inc, cut out of the kernel sources as `emit` does it, is C that a
// strict compiler takes: nothing missing, nothing that nobody reaches.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "compiler/emit/c/c_data.h"
#include "compiler/emit/output_files.h"
#include "compiler/emit/slice/embedded_sources.h"
#include "compiler/emit/slice/slicer.h"
#include "compiler/ir/op_def.h"
#include "test_support.h"

namespace netkit::test {
namespace {

// One translation unit: the slice, zeroed parameters and a call.
Result<std::string> unit_of(const OpDef& op, const std::string& symbol, bool standalone) {
  const std::string params =
      op.params_type.empty() ? fmt::format("nk_{}_params", op.name) : std::string(op.params_type);
  std::vector<std::string> roots = {params};
  if (standalone) roots.push_back(symbol);
  NK_ASSIGN(const emit::Slice slice,
            emit::slice_sources(emit::embedded_sources(), roots, standalone));
  std::string text = "#include <stddef.h>\n#include <stdint.h>\n";
  for (const std::string& include : slice.includes) text += "#include " + include + "\n";
  text += slice.code;
  const std::string args = "const void* const* in, void* const* out, void* scratch";
  if (!standalone) text += fmt::format("extern void {}(const void* params, {});\n", symbol, args);
  const Bytes zeros(op.params_bytes);
  text += fmt::format("static const {} params = {};\n", params, emit::c_params(op.fields, zeros));
  text += fmt::format(
      "extern void use({0});\nvoid use({0}) {{ {1}(&params, in, out, scratch); }}\n", args, symbol);
  return text;
}

bool found(const std::string& compiler) {
  return std::system((compiler + " --version > /dev/null 2>&1").c_str()) == 0;
}

constexpr const char* kStrictC99 = "cc -std=c99 -pedantic";
// Looks for unused functions too.
constexpr const char* kStrictC23 = "clang-22 -std=c23";

void compile_all(const std::string& folder, const char* compiler) {
  const std::string command =
      fmt::format("cd '{}' && {} -Wall -Wextra -Werror -fsyntax-only *.c", folder, compiler);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

TEST(EmitRows, EveryKernelRowIsCleanC) {
  const std::string folder = work_folder("emit_rows");
  std::set<std::string> texts;  // rows that differ in their types of tensors alone stand once
  std::set<std::string_view> types;
  std::vector<emit::OutputFile> files;
  for (const KernelRow& row : all_kernel_rows()) {
    const OpDef* op = find_op(row.op);
    ASSERT_NE(op, nullptr) << row.op;
    const auto whole = unit_of(*op, std::string(row.symbol), true);
    ASSERT_TRUE(whole) << row.op << ": " << whole.error().message;
    const auto against_library = unit_of(*op, std::string(row.symbol), false);
    ASSERT_TRUE(against_library) << row.op << ": " << against_library.error().message;
    const bool new_kernel = texts.insert(std::string(row.symbol)).second;
    const bool new_type = types.insert(row.op).second;
    if (new_kernel) files.push_back({fmt::format("row{}.c", files.size()), *whole});
    if (new_type) files.push_back({fmt::format("lib{}.c", files.size()), *against_library});
  }
  EXPECT_GE(files.size(), 300u);
  ASSERT_TRUE(emit::write_files(folder, files));
  if (found("clang-22")) return compile_all(folder, kStrictC23);
  std::puts("note: clang-22 is absent; unused functions are not looked for");
  compile_all(folder, kStrictC99);
}

// All in one file: names that two kernels have in common are told apart.
TEST(EmitRows, AllRowsTogetherAreCleanC) {
  std::set<std::string> names;
  for (const KernelRow& row : all_kernel_rows()) names.insert(std::string(row.symbol));
  const std::vector<std::string> roots(names.begin(), names.end());
  const auto slice = emit::slice_sources(emit::embedded_sources(), roots, true);
  ASSERT_TRUE(slice) << slice.error().message;
  std::string text = "#include <stddef.h>\n#include <stdint.h>\n";
  for (const std::string& include : slice->includes) text += "#include " + include + "\n";
  text += slice->code + "typedef void (*kernel)(NK_KERNEL_ARGS);\nextern const kernel kernels[];\n";
  text += "const kernel kernels[] = {";
  for (const std::string& name : roots) text += name + ",\n";
  const std::string folder = work_folder("emit_rows_together");
  ASSERT_TRUE(emit::write_files(folder, std::vector<emit::OutputFile>{{"all.c", text + "};\n"}}));
  compile_all(folder, kStrictC99);
  if (found("clang-22")) compile_all(folder, kStrictC23);
}

}  // namespace
}  // namespace netkit::test
