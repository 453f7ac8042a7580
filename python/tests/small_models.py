# SPDX-License-Identifier: MIT
"""Two networks of one operator each, written as JSON and packed by flatc."""
import json
import struct
import subprocess

from conftest import ROOT

SCHEMA = ROOT / "src/compiler/import/schema/tflite.fbs"


def _floats(*values):
    return list(struct.pack(f"<{len(values)}f", *values))


def _write(folder, name, model):
    text = folder / f"{name}.json"
    text.write_text(json.dumps({"version": 3, **model}), encoding="utf-8")
    subprocess.run(["flatc", "-b", "-o", folder, SCHEMA, text], check=True)
    return (folder / f"{name}.bin").rename(folder / f"{name}.tflite")


def streaming(folder):
    """svdf: y = x + the two values of x before; they are the state, which begins with 0."""
    tensors = [("x", [1, 1], 0, False), ("feature", [1, 1], 1, False), ("time", [1, 3], 2, False),
               ("state", [1, 3], 0, True), ("y", [1, 1], 0, False)]
    return _write(folder, "streaming", {
        "operator_codes": [{"builtin_code": "SVDF", "deprecated_builtin_code": 27}],
        "buffers": [{}, {"data": _floats(1)}, {"data": _floats(1, 1, 1)}],
        "subgraphs": [{
            "tensors": [{"name": name, "shape": shape, "buffer": buffer, "is_variable": variable}
                        for name, shape, buffer, variable in tensors],
            "inputs": [0], "outputs": [4],
            "operators": [{"opcode_index": 0, "inputs": [0, 1, 2, -1, 3], "outputs": [4],
                           "builtin_options_type": "SVDF",
                           "builtin_options": {"rank": 1}}]}]})


def reshaped(folder):
    """reshape of x, 12 numbers, to the shape that the second input says."""
    tensors = [("x", [12], "FLOAT32"), ("shape", [2], "INT32"), ("y", [], "FLOAT32")]
    return _write(folder, "reshaped", {
        "operator_codes": [{"builtin_code": "RESHAPE", "deprecated_builtin_code": 22}],
        "buffers": [{}],
        "subgraphs": [{
            "tensors": [{"name": name, "shape": shape, "type": dtype}
                        for name, shape, dtype in tensors],
            "inputs": [0, 1], "outputs": [2],
            "operators": [{"opcode_index": 0, "inputs": [0, 1], "outputs": [2]}]}]})
