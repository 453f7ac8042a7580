#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Our int8 and the shipped int8 beside the float model that both come from, on the same inputs.

usage: python3 bench/quant_pairs.py build/netkit DIR    (DIR holds mlperf_tiny/ and data/)

Inputs are crops of the two pictures in DIR/data/person_detection, mirrored and lit differently by a
fixed generator: the first half calibrates, the second half is counted.
"""
import array
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

SAMPLES = 100  # for each half
# float model, shipped int8 model, side of the input, value of a white pixel
PAIRS = [("vww_96_float", "vww_96_int8", 96, 1.0),
         ("pretrainedResnet", "pretrainedResnet_quant", 32, 255.0)]


def read_bmp(path):
    """-> rows of grey values, top row first, of an uncompressed 8-bit BMP."""
    data = path.read_bytes()
    offset = struct.unpack_from("<I", data, 10)[0]
    width, height = struct.unpack_from("<ii", data, 18)
    assert struct.unpack_from("<H", data, 28)[0] == 8
    stride = (width + 3) // 4 * 4
    palette = data[offset - 1024:offset]
    rows = [[palette[4 * p] for p in data[offset + y * stride:offset + y * stride + width]]
            for y in range(height)]
    return rows[::-1]


class Generator:
    """Knuth's MMIX generator: the same crops everywhere."""

    def __init__(self):
        self.state = 1

    def below(self, n):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % n


def crop(picture, side, white, random):
    size = 48 + random.below(len(picture) - 48 + 1)
    top, left = (random.below(len(picture) - size + 1) for _ in range(2))
    mirrored, light = random.below(2), 0.5 + random.below(101) / 100
    values = array.array("f")
    for y in range(side):
        row = picture[top + y * size // side]
        for x in range(side):
            at = x * size // side
            pixel = row[left + (size - 1 - at if mirrored else at)]
            values.extend([min(255.0, pixel * light) / 255.0 * white] * 3)
    return values


def run(netkit, model, inputs, folder):
    """-> per input, the outputs as real numbers."""
    answers = []
    for i, values in enumerate(inputs):
        npy = folder / f"in{i}.npy"
        if not npy.exists():
            side = math.isqrt(len(values) // 3)
            header = str({"descr": "<f4", "fortran_order": False, "shape": (1, side, side, 3)})
            header += " " * (-(len(header) + 11) % 64) + "\n"
            npy.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) +
                            header.encode() + values.tobytes())
        out = subprocess.run([netkit, "run", model, "--input", npy, "--json"], check=True,
                             capture_output=True, text=True)
        answers.append(json.loads(out.stdout)["outputs"][0]["values"])
    return answers


def real(answers):
    """int8 outputs of a softmax as probabilities."""
    return [[(v + 128) / 256 for v in row] for row in answers]


def compare(expected, got):
    signal = sum(v * v for row in expected for v in row)
    noise = sum((a - b) ** 2 for r, s in zip(expected, got) for a, b in zip(r, s))
    same = sum(r.index(max(r)) == s.index(max(s)) for r, s in zip(expected, got))
    return same / len(expected), 10 * math.log10(signal / noise) if noise else math.inf


def main():
    netkit, shared = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    pictures = [read_bmp(shared / "data/person_detection" / name)
                for name in ("person.bmp", "no_person.bmp")]
    print("| float model | int8 | same greatest output | SQNR of the outputs, dB |")
    print("|---|---|--:|--:|")
    for floating, shipped, side, white in PAIRS:
        random = Generator()
        crops = [crop(pictures[i % 2], side, white, random) for i in range(2 * SAMPLES)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "calibration.bin").write_bytes(
                b"".join(values.tobytes() for values in crops[:SAMPLES]))
            models = shared / "mlperf_tiny"
            subprocess.run([netkit, "compile", models / f"{floating}.tflite", "--int8",
                            "--calibrate", folder / "calibration.bin", "-o", folder / "ours.nk"],
                           check=True, capture_output=True)
            test = crops[SAMPLES:]
            expected = run(netkit, models / f"{floating}.tflite", test, folder)
            for what, model in (("ours", folder / "ours.nk"),
                                (f"shipped ({shipped})", models / f"{shipped}.tflite")):
                same, sqnr = compare(expected,
                                     real(run(netkit, model, test, folder)))
                print(f"| {floating} | {what} | {same:.0%} | {sqnr:.1f} |")


if __name__ == "__main__":
    main()
