#!/bin/sh
# SPDX-License-Identifier: MIT
# A program per public header: each compiles by itself, without warnings, as C++23 and, where
# clang++-22 is installed, C++26; the C interface as C99, C11 and C23 too.
set -eu
cd "$(dirname "$0")/.."
warnings="-Wall -Wextra -Wshadow -Werror -fsyntax-only -Iinclude -Iinclude/compat"
newest=$(command -v clang++-22 || true)
[ -n "$newest" ] || echo "note: clang++-22 is absent: headers were not compiled as C++26"

headers=$(cd include && ls netkit.h netkit/*.h netkit/*.hpp netkit/c/*.h && cd compat &&
  ls -d *.hpp *.h)
for header in $headers; do
  echo "${CXX:-c++} -std=c++23 -x c++ $header"
  [ -z "$newest" ] || echo "$newest -std=c++26 -x c++ $header"
done >build/headers.list
for dialect in c99 c11 c2x; do
  for header in netkit.h netkit/c/arena.h netkit/c/model.h netkit/c/network.h netkit/c/tensor.h; do
    echo "${CC:-cc} -std=$dialect -x c $header"
  done
done >>build/headers.list

# Reads the words of one line: compiler, options, header.
WARNINGS=$warnings xargs -P "$(nproc)" -L 1 sh -c '
  for header; do :; done
  printf "#include \"%s\"\nint main(void) { return 0; }\n" "$header" |
    "$1" "$2" $WARNINGS "$3" "$4" - || { echo "headers: $header: $1 $2" >&2; exit 1; }' sh \
  <build/headers.list
echo "headers: $(wc -l <build/headers.list) programs of one header each compile"
