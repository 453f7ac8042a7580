#!/bin/bash
# SPDX-License-Identifier: MIT
# Everything that CI checks; `make test` runs it. Ends with "N passed, N failed".
# Arguments: names of single checks (default: all), as `scripts/check.sh style unit`.
set -u
cd "$(dirname "$0")/.."
jobs=$(nproc)
logs=build/logs
mkdir -p "$logs"
passed=0 failed=0 names=()

check_style() {
  python3 scripts/check_style.py && python3 scripts/check_layers.py &&
    python3 scripts/name_table.py --check
}
check_unit() {
  cmake --preset tests && cmake --build build -j "$jobs" &&
    ctest --test-dir build --output-on-failure -j "$jobs"
}
# clang-22 as C++26 and C23, warnings are errors; the whole suite under its sanitizers.
check_sanitize() {
  cmake --preset sanitize && cmake --build build/sanitize -j "$jobs" &&
    ctest --test-dir build/sanitize --output-on-failure -j "$jobs"
}
check_headers() { scripts/check_headers.sh; }
check_device() { scripts/check_device_symbols.sh; }
check_emulator() { scripts/check_emulator.sh; }
check_pictures() { python3 scripts/check_pictures.py build/netkit examples/planner; }
check_demo() { make --no-print-directory demo; }

all="style headers unit sanitize pictures device emulator demo"
for name in ${*:-$all}; do
  printf 'netkit check: %-10s ' "$name"
  start=$SECONDS
  if "check_$name" >"$logs/$name.log" 2>&1; then
    echo "passed ($((SECONDS - start)) s)"
    passed=$((passed + 1))
    grep -h '^note:' "$logs/$name.log" | sort -u
  else
    echo "FAILED ($((SECONDS - start)) s), last lines of $logs/$name.log:"
    grep -nE 'error|FAILED|Failed' "$logs/$name.log" | head -20
    tail -40 "$logs/$name.log"
    failed=$((failed + 1))
    names+=("$name")
  fi
done
[ "$failed" = 0 ] && echo "netkit: all checks passed" || echo "netkit: failed: ${names[*]}"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
