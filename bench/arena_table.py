#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The arena table of docs/results.md: plans each model and prints it beside TensorFlow Lite Micro.

usage: bench/arena_table.py [--netkit build/netkit] [--shared ../shared]
"""
import argparse
import json
import pathlib
import subprocess
import sys

# Arena of TensorFlow Lite Micro 90b983c2 with CMSIS-NN 4ab83cc3 on a Cortex-M4, bytes: tensor
# tables plus tensors, as its own recorder gives them after AllocateTensors.
TFLM_M4 = {
    "mlperf_tiny/kws_ref_model.tflite": (6820, 16000),
    "mlperf_tiny/ad01_int8.tflite": (1812, 768),
    "mlperf_tiny/str_ww_ref_model.tflite": (8660, 7936),
    "tflm/person_detect.tflite": (27012, 55296),
    "mlperf_tiny/pretrainedResnet_quant.tflite": (5268, 49728),
    "mlperf_tiny/vww_96_int8.tflite": (26980, 73728),
}
ALSO = [
    "mlperf_tiny/ad01_fp32.tflite",
    "mlperf_tiny/pretrainedResnet.tflite",
    "mlperf_tiny/vww_96_float.tflite",
    "tflm/hello_world_int8.tflite",
    "tflm/hello_world_float.tflite",
]


def plan(netkit: str, path: pathlib.Path) -> dict:
    run = subprocess.run([netkit, "plan", str(path), "--json"], capture_output=True, text=True,
                         check=True)
    return json.loads(run.stdout)


def row(name: str, made: dict) -> str:
    plain, best = made["classes"].get("plain"), made
    tflm = TFLM_M4.get(name)
    proof = "proven" if best["proven_minimal"] else f"bound {best['lower_bound_bytes']}"
    plain_proof = "proven" if plain["proven_minimal"] else f"bound {plain['lower_bound_bytes']}"
    tflm_text = f"{sum(tflm)} ({tflm[0]} + {tflm[1]})" if tflm else ""
    return (f"| {name} | {plain['arena_bytes']} | {plain_proof} | {best['arena_bytes']} "
            f"({best['class']}) | {proof} | {tflm_text} |")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--netkit", default="build/netkit")
    parser.add_argument("--shared", default="../shared")
    args = parser.parse_args()
    print("| model | plain, B | | least, B | | TFLM on M4, B (tables + tensors) |")
    print("|---|--:|---|--:|---|--:|")
    for name in list(TFLM_M4) + ALSO:
        print(row(name, plan(args.netkit, pathlib.Path(args.shared) / "models" / name)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
