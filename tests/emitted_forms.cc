// SPDX-License-Identifier: MIT
#include "emitted_forms.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "compiler/emit/output_files.h"

namespace netkit::test {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

bool installed(const std::string& command) {
  const std::string program = command.substr(0, command.find(' '));
  return std::system(("command -v " + program + " >/dev/null").c_str()) == 0;
}

}  // namespace

driver::EmitOptions EmittedForm::options(const std::string& folder) const {
  driver::EmitOptions options;
  options.folder = folder;
  options.name = "net";
  options.language = language;
  options.standalone = standalone;
  options.lowered = lowered;
  options.specialize = specialize;
  options.caller_io = caller_io;
  return options;
}

emit::CEmitOptions EmittedForm::c_options() const {
  emit::CEmitOptions options;
  options.name = "net";
  options.language = language;
  options.standalone = standalone;
  options.lowered = lowered;
  options.specialize = specialize;
  return options;
}

void expect_output(const EmittedForm& form, const std::string& folder, const std::string& main,
                   const Bytes& input, const Bytes& expected, const std::string& flags) {
  const bool library = !form.lowered || !form.standalone;
  if (kSanitized && library) return;
  const char* ending = form.is_c() ? "c" : "cpp";
  ASSERT_TRUE(emit::write_files(
      folder, {{fmt::format("main.{}", ending), main},
               {"in", {reinterpret_cast<const char*>(input.data()), input.size()}}}));
  for (const Dialect& dialect : kDialects) {
    const std::string compiler = form.is_c() ? dialect.c : dialect.cpp;
    if (!installed(compiler)) {
      fmt::print("note: {} is absent\n", compiler);
      continue;
    }
    const std::string command = fmt::format(
        "cd '{}' && {} {} -O2 -Wall -Wextra -Wshadow -Werror -ffp-contract=off -I '{}/include' "
        "net.{} main.{} -o net {} && ./net <in >out",
        folder, compiler, flags, NETKIT_SOURCE_DIR, ending, ending,
        library ? std::string(NETKIT_BINARY_DIR) + "/libnetkit.a -lstdc++ -lm" : "-lm");
    ASSERT_EQ(std::system(command.c_str()), 0) << form.name << ": " << command;
    EXPECT_EQ(read_bytes(folder + "/out"), expected) << form.name << ": " << compiler;
  }
}

}  // namespace netkit::test
