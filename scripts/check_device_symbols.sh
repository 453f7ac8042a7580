#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves that the device half stands alone: cross-builds libnetkit for each target and holds its
# symbols to a list. No heap, exceptions, iostream, locks, static constructors or writable data;
# from outside come only mem*, mathematics and the compiler's own helpers.
# usage: check_device_symbols.sh [target …]   (default: cortex-m4 rv32imac)
set -eu
cd "$(dirname "$0")/.."
targets=${*:-cortex-m4 rv32imac}

allowed='mem(cpy|move|set|cmp)
(exp|log|tanh?|sin|cos|sqrt|pow|floor|ceil|round|rint|nearbyint|trunc|fabs|fmod|atan2?)f?
(a?sinh?|acosh?|atanh|cosh)f?
(erfc?|expm1|log1p|log2|exp2|log10|fm(in|ax)|copysign|ldexp|scalbn|frexp|l?lrint)f?
__aeabi_[a-z0-9_]+
__[a-z0-9]+[sdt]i[234]?
__[a-z]+[sdt]f[sdt]?[if2-3]?[a-z0-9]*
__gnu_[a-z0-9_]+
__riscv_(save|restore)_[0-9]+'

tool_prefix() {
  case $1 in
    cortex-*) echo arm-none-eabi- ;;
    rv32*|rv64*) echo riscv64-unknown-elf- ;;
    *) echo "no toolchain known for target $1" >&2; return 1 ;;
  esac
}

check_target() {
  target=$1
  prefix=$(tool_prefix "$target")
  if ! command -v "${prefix}gcc" >/dev/null; then
    echo "device symbols: ${prefix}gcc is missing (apt install gcc-${prefix%-})" >&2
    return 1
  fi
  build=build/device-$target
  cmake -S . -B "$build" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/toolchains/$target.cmake" \
    -DNETKIT_RUNTIME_ONLY=ON -DNETKIT_TESTS=OFF -DCMAKE_BUILD_TYPE=MinSizeRel >"$build.log" 2>&1 \
    || { cat "$build.log" >&2; return 1; }
  cmake --build "$build" --target netkit -j2 >>"$build.log" 2>&1 \
    || { tail -30 "$build.log" >&2; return 1; }
  lib=$build/libnetkit.a
  wrong=0

  "${prefix}nm" --defined-only -f posix "$lib" | awk 'NF>1 {print $1}' | sort -u >"$build.have"
  "${prefix}nm" -u -f posix "$lib" | awk 'NF>1 {print $1}' | sort -u >"$build.want"
  pattern="^($(echo "$allowed" | paste -sd'|'))\$"
  outside=$(comm -23 "$build.want" "$build.have" | grep -Ev "$pattern" || true)
  if [ -n "$outside" ]; then
    echo "$target: symbols from outside that the device half may not need:" $outside >&2
    wrong=1
  fi
  guards=$(grep -E '^_ZGV|^_GLOBAL__sub_I|^_ZTI|^_ZTV' "$build.have" || true)
  if [ -n "$guards" ]; then
    echo "$target: guard variables, static constructors or type information:" $guards >&2
    wrong=1
  fi
  sections=$("${prefix}objdump" -h "$lib" |
    awk '/file format/ {object = $1}
         $2 ~ /^\.(init_array|ctors|data|bss|sdata|sbss|tdata|tbss|gcc_except_table)/ &&
         $3 !~ /^0+$/ {print object $2}')
  if [ -n "$sections" ]; then
    echo "$target: writable data, constructors or exception tables:" $sections >&2
    wrong=1
  fi
  "${prefix}size" -t "$lib" | awk -v target="$target" 'END {
    printf "device symbols: %s: %d bytes of text and constants; from outside only mem*, " \
           "mathematics and compiler helpers\n", target, $1}' | if [ $wrong = 0 ]; then cat; fi
  return $wrong
}

mkdir -p build
status=0
for target in $targets; do
  check_target "$target" || status=1
done
exit $status
