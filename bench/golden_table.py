#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every model that has outputs of another runtime beside those outputs.

usage: python3 bench/golden_table.py build/netkit DIR [PART]    (DIR holds goldens.jsonl.gz; PART of
a model's path: only such models)

Two runs on two inputs. Of a model with state the second run would go on from the first; here it is
left out. float32: largest difference, relative where the value is above 1. Integers: share of the
values within one step, and the worst. Of a network of float32 outputs beyond the bound also: how
far they move when every float32 input is a unit in its last place larger. The goldens of int8
models are made by XNNPACK, which rounds in another way than the kernels that netkit is bit-exact
with; in deep networks that adds up.
"""
import array
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

CODES = {"float32": "f", "int8": "b", "uint8": "B", "int16": "h", "int32": "i", "int64": "q",
         "bool": "B"}
FLOAT_BOUND = 1e-4
INT_SHARE = 0.99


def filled(count, dtype, fill):
    """The inputs as DIR/README.md states them."""
    kind, _, number = fill.partition(" ")
    values = []
    for i in range(count):
        if kind == "zero":
            value = 0
        elif kind == "value":
            value = float(number) if dtype == "float32" else int(number)
        elif kind.startswith("B"):
            v = abs(i % 97 - 48)
            value = {"float32": v / 96, "uint8": v + 96, "int8": v - 24}.get(dtype, v)
        else:
            u = ((((i + 1) * 2654435761) & 0xFFFFFFFF) >> 8) / 2**24
            value = 2 * u - 1 if dtype == "float32" else int(256 * u) - 128 * (dtype == "int8")
        if "mod" in fill:
            value %= int(fill.split("mod")[1])
        values.append(value)
    return array.array(CODES[dtype], values)


def name_in(names, i, stated):
    """The golden's name of input or output i where the model knows it, else the model's."""
    return stated["name"] if stated["name"] in names else names[i]


def next_up(values):
    """Of float32 numbers each one's neighbour away from zero; others as they are."""
    if values.typecode != "f":
        return values
    bits = array.array("I", values.tobytes())
    return array.array("f", array.array("I", [b + 1 for b in bits]).tobytes())


def run(netkit, path, case, names, folder, change=lambda values: values):
    """-> ([array per output], "") or (None, the refusal); names: of the model's inputs, outputs"""
    command = [netkit, "run", str(path)]
    for i, given in enumerate(case["inputs"]):
        count = 1
        for size in given["shape"]:
            count *= size
        file = folder / f"in{i}.bin"
        file.write_bytes(change(filled(count, given["type"], given["fill"])).tobytes())
        name = name_in(names[0], i, given)
        command += ["--input", f"{name}={file}", *shape_option(name, given)]
    files = [folder / f"out{i}.bin" for i in range(len(case["outputs"]))]
    for i, (file, output) in enumerate(zip(files, case["outputs"])):
        command += ["--output", f"{name_in(names[1], i, output)}={file}"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, done.stderr.split("\n")[0]
    outputs = []
    for file, output in zip(files, case["outputs"]):
        outputs.append(array.array(CODES[output["type"]], file.read_bytes()))
    return outputs, ""


def differences(outputs, wanted):
    """-> [differences of float32], [differences of integers]"""
    floats, integers = [], []
    for values, output in zip(outputs, wanted):
        for got, golden in zip(values[::output["step"]], output["samples"]):
            if output["type"] == "float32":
                floats.append(abs(got - golden) / max(1.0, abs(golden)))
            else:
                integers.append(abs(got - golden))
    return floats, integers


def shape_option(name, given):
    return ["--shape", name + "=" + "x".join(map(str, given["shape"]))] if given["shape"] else []


def names_of(netkit, path):
    """-> (names of the inputs, names of the outputs), in the file's order"""
    done = subprocess.run([netkit, "compile", str(path), "--dump", "import"],
                          capture_output=True, text=True)
    ends = {"input": [], "output": []}
    for line in done.stdout.splitlines():
        kind, _, rest = line.partition(" %")
        if kind in ends and rest:
            name = rest.split(" float")[0] if " float" in rest else rest
            for dtype in CODES:
                name = name.split(f" {dtype}[")[0]
            ends[kind].append(name)
    return ends["input"], ends["output"]


def moved(netkit, path, runs, names, folder):
    """Largest change of a float32 output, as in differences(), for inputs a unit larger."""
    worst = 0.0
    for case in runs:
        outputs, _ = run(netkit, path, case, names, folder)
        others, _ = run(netkit, path, case, names, folder, next_up)
        for a, b in zip(outputs, others):
            if a.typecode == "f":
                worst = max([worst, *(abs(x - y) / max(1.0, abs(x)) for x, y in zip(a, b))])
    return worst


def judge(netkit, path, golden, folder):
    """-> (is it within the bounds, text)"""
    runs = golden["runs"]
    names = names_of(netkit, path)
    done = subprocess.run([netkit, "compile", str(path), "--dump", "passes",
                           *[word for i, given in enumerate(runs[0]["inputs"])
                             for word in shape_option(name_in(names[0], i, given), given)]],
                          capture_output=True, text=True)
    if "\nstate %" in done.stdout:
        runs = runs[:1]
    floats, integers = [], []
    for case in runs:
        outputs, refusal = run(netkit, path, case, names, folder)
        if outputs is None:
            return False, refusal
        for output, values in zip(case["outputs"], outputs):
            if len(values) != output["n"]:
                return False, f"{len(values)} values of {output['name']}, not {output['n']}"
        more_floats, more_integers = differences(outputs, case["outputs"])
        floats += more_floats
        integers += more_integers
    parts, good = [], True
    if floats:
        parts.append(f"float32 {max(floats):.1e}")
        good = max(floats) <= FLOAT_BOUND
        if not good:
            change = moved(netkit, path, runs, names, folder)
            parts.append(f"a unit in the inputs' last place moves it {change:.1e}")
    if integers:
        share = sum(d <= 1 for d in integers) / len(integers)
        parts.append(f"{100 * share:.2f} % within a step, worst {max(integers)}")
        good = good and share >= INT_SHARE
    return good, ", ".join(parts)


def main():
    netkit, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    part = sys.argv[3] if len(sys.argv) > 3 else ""
    lines = gzip.open(folder / "goldens.jsonl.gz", "rt").read().splitlines()
    goldens = [g for g in map(json.loads, lines) if part in g["model"]]
    good = 0
    with tempfile.TemporaryDirectory() as work:
        for i, golden in enumerate(goldens):
            print(f"\r{i + 1}/{len(goldens)}", end="", file=sys.stderr, flush=True)
            within, text = judge(netkit, folder / golden["model"], golden, pathlib.Path(work))
            good += within
            print(f"{'' if within else '! '}{golden['model']}: {text}", flush=True)
    print(f"\r{good} of {len(goldens)} models within the bounds: float32 {FLOAT_BOUND:g}, integers "
          f"one step on {100 * INT_SHARE:g} % of the values")


if __name__ == "__main__":
    main()
