#!/bin/sh
# SPDX-License-Identifier: MIT
# Proves that the device half stands alone: cross-builds libnetkit for each target and holds its
# symbols to a list. No heap, exceptions, iostream, locks, static constructors or writable data;
# from outside come only mem*, mathematics and the compiler's own helpers; the one object that loads
# a model by its path (runtime/loaded/read_file.cc) may also open, read and close a file.
# usage: check_device_symbols.sh [arch …]   (default: cortex-m4 rv32imac; aarch64 and rv64gc are
# mpus, whose library maps files as well)
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
# What mapping a file takes.
mapping='open(64)?
close
(__)?f?x?stat(64)?
mmap(64)?
munmap
strerror
__errno_location
__tls_get_addr
__stack_chk_(fail|guard)
_GLOBAL_OFFSET_TABLE_'

tool_prefix() {
  case $1 in
    cortex-*) echo arm-none-eabi- ;;
    rv32*) echo riscv64-unknown-elf- ;;
    aarch64) echo aarch64-linux-gnu- ;;
    rv64gc) echo riscv64-linux-gnu- ;;
    *) echo "no toolchain known for target $1" >&2; return 1 ;;
  esac
}

class_of() {
  case $1 in
    cortex-*) echo mcu_arm ;;
    rv32*) echo mcu_risc ;;
    aarch64) echo mpu_arm ;;
    *) echo mpu_risc ;;
  esac
}

check_target() {
  target=$1
  prefix=$(tool_prefix "$target")
  if ! command -v "${prefix}gcc" >/dev/null; then
    echo "device symbols: ${prefix}gcc is missing (apt install gcc-${prefix%-})" >&2
    return 1
  fi
  build=build/class-$target
  class=$(class_of "$target")
  cmake -S . -B "$build" -DNETKIT_TARGET="$class" -DNETKIT_ARCH="$target" -DNETKIT_TESTS=OFF \
    -DCMAKE_BUILD_TYPE=MinSizeRel >"$build.log" 2>&1 \
    || { cat "$build.log" >&2; return 1; }
  cmake --build "$build" --target netkit -j2 >>"$build.log" 2>&1 \
    || { tail -30 "$build.log" >&2; return 1; }
  lib=$build/libnetkit.a
  wrong=0

  "${prefix}nm" --defined-only -f posix "$lib" | awk 'NF>1 {print $1}' | sort -u >"$build.have"
  "${prefix}nm" -A -u -f posix "$lib" |
    awk 'NF>2 && !(/[[]read_file\.cc/ && $2 ~ /^(open|lseek|read|close)$/) {print $2}' |
    sort -u >"$build.want"
  known=$allowed
  case $class in mpu_*) known=$(printf '%s\n%s' "$allowed" "$mapping") ;; esac
  pattern="^($(echo "$known" | paste -sd'|'))\$"
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
  # Tables of pointers are constants of a position-independent library; an mpu's last error is each
  # thread's own.
  spared='^\.data\.rel\.ro'
  case $class in mpu_*) spared='^\.(data\.rel\.ro|tbss)' ;; esac
  sections=$("${prefix}objdump" -h "$lib" |
    awk -v spared="$spared" '/file format/ {object = $1}
         $2 ~ /^\.(init_array|ctors|data|bss|sdata|sbss|tdata|tbss|gcc_except_table)/ &&
         $2 !~ spared && $3 !~ /^0+$/ {print object $2}')
  if [ -n "$sections" ]; then
    echo "$target: writable data, constructors or exception tables:" $sections >&2
    wrong=1
  fi
  "${prefix}size" -t "$lib" | awk -v target="$target" 'END {
    printf "device symbols: %s: %d bytes of text and constants; from outside only mem*, " \
           "mathematics, helpers, reading a file\n", target, $1}' | if [ $wrong = 0 ]; then cat; fi
  return $wrong
}

mkdir -p build
status=0
for target in $targets; do
  check_target "$target" || status=1
done
exit $status
