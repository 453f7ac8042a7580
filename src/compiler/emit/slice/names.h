// SPDX-License-Identifier: MIT
// Names in C, and words and macros of our own C sources: what a declaration needs from outside,
// what a list macro expands to. Enough C for the style of src/base and src/ops, no preprocessor.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace netkit::emit {

bool is_word(char c);

// Without white space at both ends; a view of the same characters.
std::string_view trimmed(std::string_view text);

// A C identifier of at most 64 characters.
bool is_identifier(std::string_view name);

// Whether NAME.h would stand in the way of #include <NAME.h>, upper and lower case alike (file
// systems may not tell them apart).
bool shadows_system_header(std::string_view name);

// A model's own words inside a C comment: no end of comment, no control characters.
std::string for_comment(std::string_view text);

// Code with comments and literals blanked, same length, so that positions agree.
std::string blanked(std::string_view text);

// The identifiers of a piece of C, comments and literals left out, in order, without repeats.
std::vector<std::string> identifiers_of(std::string_view text);

// Those that a declaration may take from outside: not the fields that it selects, not the
// variables, fields and macro parameters that it declares itself.
std::vector<std::string> outer_names_of(std::string_view text);

// A macro with parameters.
struct Macro {
  std::vector<std::string> params;
  std::string body;
};
using Macros = std::map<std::string, Macro, std::less<>>;

// Adds the macro of a #define, continuation lines included; one without parameters is left out.
void add_macro(std::string_view define, Macros& macros);

// `text` with every call of a known macro replaced, ## included, 16 levels deep at most.
std::string expanded(std::string_view text, const Macros& macros, int level = 0);

}  // namespace netkit::emit
