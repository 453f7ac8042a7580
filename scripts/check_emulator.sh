#!/bin/sh
# SPDX-License-Identifier: MIT
# Emitted C on emulated boards: the runner's own tests, then int8 models with equal bits, then
# networks built by hand. Models and expected outputs: models/, and NETKIT_SHARED (default
# ../shared) when it is there.
set -eu
cd "$(dirname "$0")/.."
shared=${NETKIT_SHARED:-../shared}
work=build/firmware/check
# Boards, each with the target that is emitted for it.
boards="mps2-an386:cortex-m4 mps2-an386:generic riscv32-virt:generic"

python3 -m unittest firmware.runner.runner_test firmware.runner.emulated_test
cmake --preset release
cmake --build build --target netkit_cli
mkdir -p "$work"

# check NAME MODEL INPUT EXPECTED: the arguments after the name are files.
check() {
  for board in $boards; do
    python3 scripts/run_firmware.py "${board%:*}" --emit-option="--target=${board#*:}" \
      --model "$2" --name "$1" --input "$3" --expect "$4" --work "$work"
  done
}

# The int8 input of the digit models is pixel - 128; the IDX header has 16 bytes.
python3 -c 'import sys; data = open(sys.argv[1], "rb").read()[16:]
open(sys.argv[2], "wb").write(bytes(byte ^ 0x80 for byte in data))' \
  models/digits-images.idx3-ubyte "$work/digits.in.bin"
for name in digits_cnn_int8 digits_dscnn_int8; do
  check $name models/$name.tflite "$work/digits.in.bin" models/$name.expected.bin
done
# make firmware prints what docs/firmware.md shows; on a Cortex-M0, where the mark at the end of a
# run stands at the end of a page.
line=$(make -s firmware BOARD=microbit MODEL=models/digits_dscnn_int8.tflite | tail -1)
echo "$line"
shown=$(sed -n 's/^mps2-an386: toy: //p' docs/firmware.md)
words() { echo "$1" | sed 's/[0-9][0-9]*\( to [0-9]*\)\{0,1\}/N/g'; }
[ "$(words "${line#microbit: digits_dscnn_int8: }")" = "$(words "$shown")" ] || {
  echo "emulator: docs/firmware.md shows another line: $shown"
  exit 1
}

if [ -d "$shared/goldens/tflm" ]; then
  for name in kws_ref_model pretrainedResnet_quant; do
    for way in in out; do
      for i in 0 1 2; do cat "$shared/goldens/tflm/$name.$way$i.bin"; done >"$work/$name.$way.bin"
    done
    check $name "$shared/models/mlperf_tiny/$name.tflite" "$work/$name.in.bin" \
      "$work/$name.out.bin"
  done
else
  echo "note: $shared/goldens is absent: kws and resnet were not run in the emulator"
fi
# Networks that the device builds by itself.
python3 scripts/run_by_hand.py
echo "emulator: every model gives the expected bytes"
