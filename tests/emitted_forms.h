// SPDX-License-Identifier: MIT
// The forms of emitted code, and how a test builds and runs one with a main of its own: by both
// compilers, in an old and the newest dialect, warnings being errors.
#pragma once

#include <string>

#include "compiler/driver/verbs/emit_model.h"
#include "test_support.h"

namespace netkit::test {

struct EmittedForm {
  const char* name;
  emit::Language language;
  bool standalone, lowered, specialize, caller_io;

  bool is_c() const { return language == emit::Language::kC; }
  // The name is net.
  driver::EmitOptions options(const std::string& folder) const;
  emit::CEmitOptions c_options() const;
};

inline constexpr EmittedForm kEmittedForms[] = {
    {"c", emit::Language::kC, true, true, false, false},
    {"c_folded", emit::Language::kC, true, true, true, false},
    {"c_lib", emit::Language::kC, false, true, false, false},
    {"c_nk", emit::Language::kC, true, false, false, false},
    {"c_caller", emit::Language::kC, true, true, false, true},
    {"cpp", emit::Language::kCpp, true, true, false, false},
    {"cpp_folded", emit::Language::kCpp, true, true, true, false},
    {"cpp_lib", emit::Language::kCpp, false, true, false, false},
    {"cpp_nk", emit::Language::kCpp, true, false, false, false},
    {"cpp_caller", emit::Language::kCpp, true, true, false, true},
};

struct Dialect {
  const char *c, *cpp;
};
inline constexpr Dialect kDialects[] = {
    {"cc -std=c99", "c++ -std=c++17"},
    {"clang-22 -std=c23", "clang++-22 -std=c++26"},
};

// Builds the sources net and main.c or main.cpp in `folder` in every dialect that there is and runs
// them with `input`: each must print `expected`. Under sanitizers, forms that need the library,
// which has its own compiler then, are left out. `flags` are further ones of the compiler.
void expect_output(const EmittedForm& form, const std::string& folder, const std::string& main,
                   const Bytes& input, const Bytes& expected, const std::string& flags = "");

}  // namespace netkit::test
