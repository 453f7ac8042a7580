#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh BUILD: installs both components of a build into a prefix of its own, moves that, and
# builds and runs a user's project against it, through CMake and through pkg-config.
set -eu
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$build/package-test
rm -rf "$work"
mkdir -p "$work"
for component in runtime compiler; do
  cmake --install "$build" --prefix "$work/first" --component $component >"$work/install.log"
done
mv "$work/first" "$work/moved"  # nothing may hold the prefix
prefix=$work/moved

"$prefix/bin/netkit" compile "$source/models/digits_cnn_int8.tflite" -o "$work/digits.nk" >/dev/null
cmake -G Ninja -S "$source/tests/package" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$prefix" \
  >"$work/configure.log"
cmake --build "$work/consumer" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$work/consumer/runtime" "$work/digits.nk"
"$work/consumer/flat"
"$work/consumer/older"
"$work/consumer/compiler" inspect "$work/digits.nk" >/dev/null

# From the checkout: the flat names and the library, nothing else on the line.
c++ -std=c++23 -Wall -Wextra -Werror -I"$source/include/compat" "$source/tests/package/flat.cpp" \
  "$build/libnetkit.a" -o "$work/flat_here"
"$work/flat_here"

# A component that is not there is named.
cat >"$work/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.22)
project(refused LANGUAGES C CXX)
find_package(netkit REQUIRED COMPONENTS runtime planner)
END
if cmake -S "$work" -B "$work/refused" -DCMAKE_PREFIX_PATH="$prefix" >"$work/refused.log" 2>&1; then
  echo "a component that does not exist was found" >&2
  exit 1
fi
grep -q "component 'planner' is not installed" "$work/refused.log"

if command -v pkg-config >/dev/null; then
  pc="pkg-config --define-prefix"
  PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name netkit.pc)")
  export PKG_CONFIG_PATH
  # shellcheck disable=SC2046
  cc -Wall -Wextra -Werror "$source/tests/package/runtime.c" -o "$work/by_pc" \
    $($pc --cflags --libs netkit)
  "$work/by_pc" "$work/digits.nk"
  # shellcheck disable=SC2046
  c++ -std=c++20 "$source/tests/package/older.cpp" -o "$work/older_by_pc" \
    $($pc --cflags --libs netkit)
  "$work/older_by_pc"
  # shellcheck disable=SC2046
  cc "$source/tests/package/compiler.c" -o "$work/tool_by_pc" \
    $($pc --cflags --libs netkit-compiler)
  "$work/tool_by_pc" plan "$work/digits.nk" --no-picture >/dev/null
else
  echo "note: pkg-config is absent: the .pc files were not tried"
fi
echo "package: both components build a user's project"
