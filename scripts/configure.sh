#!/bin/sh
# SPDX-License-Identifier: MIT
# configure.sh CMAKE_ARGUMENTS…: cmake, silent unless it fails. What netkit refuses itself is one
# line; anything else is CMake's own text.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build
log=build/configure.log
cmake "$@" >"$log" 2>&1 && exit 0
refusal=$(awk '/^  netkit: / {on = 1} /^ *$/ || /^Call Stack/ {on = 0}
               on {sub(/^ +/, ""); printf "%s ", $0}' "$log")
if [ -n "$refusal" ]; then
  echo "${refusal% }" >&2
else
  cat "$log" >&2
fi
exit 1
