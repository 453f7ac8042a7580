// SPDX-License-Identifier: MIT
// The functions of {fmt} that the host half calls, for libnetkit.a, so that a program links nothing
// beside it. Compiled with -fno-inline: what these two call then stands in the object.
#include <fmt/format.h>

#include <cstdio>

namespace netkit {

std::string format_of_library(fmt::string_view text, fmt::format_args values);
void print_of_library(std::FILE* to, fmt::string_view text, fmt::format_args values);

std::string format_of_library(fmt::string_view text, fmt::format_args values) {
  return fmt::vformat(text, values);
}

void print_of_library(std::FILE* to, fmt::string_view text, fmt::format_args values) {
  to == nullptr ? fmt::vprint(text, values) : fmt::vprint(to, text, values);
}

}  // namespace netkit
