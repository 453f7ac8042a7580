#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Runs the ONNX project's single-node tests (Debian: package libonnx-testdata) through netkit and
# prints, per operator, how many pass, are refused by name, or are wrong.
#   bench/node_table.py build/netkit /usr/share/libonnx-testdata/data/node \\
#     [--write docs/operators.md]
import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile

TYPES = {1: ("float32", "f"), 2: ("uint8", "B"), 3: ("int8", "b"), 4: ("uint16", "H"),
         5: ("int16", "h"), 6: ("int32", "i"), 7: ("int64", "q"), 9: ("bool", "?"),
         10: ("float16", "e"), 11: ("float64", "d"), 12: ("uint32", "I"), 13: ("uint64", "Q")}
# Results of these are quantised: one step of difference is the contract (docs/numerics.md).
QUANTISED = {"QLinearConv", "QLinearMatMul", "QuantizeLinear", "DynamicQuantizeLinear"}
# Tests whose expected values do not follow from their model: they count as not passed.
DISPUTED = {
    "test_adam_multiple": "disputed: the test expects epsilon 0.01, its model states none (1e-6)"}
BEGIN, END = "<!-- node tests -->\n", "<!-- end of node tests -->\n"


def fields(data):
    """(number, wire type, value) of each field of a protobuf message."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, kind, varint()
            continue
        size = varint() if kind == 2 else 8 if kind == 1 else 4
        yield key >> 3, kind, data[at:at + size]
        at += size


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def varints(data):
    value = shift = 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield signed(value)
            value = shift = 0


class Tensor:
    """An ONNX TensorProto; dtype None where it is of no numeric type."""

    def __init__(self, data):
        self.dims, self.name, raw, numbers, kind = [], "", None, [], 0
        for number, wire, value in fields(data):
            if number == 1:
                self.dims += [signed(value)] if wire == 0 else list(varints(value))
            elif number == 2:
                kind = value
            elif number == 8:
                self.name = value.decode()
            elif number == 9:
                raw = value
            elif number == 4:
                numbers += struct.unpack(f"<{len(value) // 4}f", value)
            elif number in (5, 7, 11):
                numbers += [signed(value)] if wire == 0 else list(varints(value))
        self.dtype, code = TYPES.get(kind, (None, ""))
        if self.dtype is None:
            return
        size = struct.calcsize(code)
        if raw is None and code == "e":
            raw = struct.pack(f"<{len(numbers)}H", *numbers)
        elif raw is None:
            raw = struct.pack(f"<{len(numbers)}{code}", *numbers)
        self.raw = raw
        self.values = struct.unpack(f"<{len(raw) // size}{code}", raw)


def tensor_of(path):
    """The tensor of a file, or None where it holds no tensor of a numeric type."""
    try:
        tensor = Tensor(path.read_bytes())
    except (OSError, struct.error, IndexError, UnicodeDecodeError):
        return None  # missing, a sequence or an optional
    return tensor if tensor.dtype else None


def is_numeric(value_info):
    """Whether a ValueInfoProto is a tensor of one of TYPES."""
    for number, _, kind in fields(value_info):
        if number == 2:
            return any(part == 1 and any(n == 1 and t in TYPES for n, _, t in fields(tensor))
                       for part, _, tensor in fields(kind))
    return False


def model_of(path):
    """Names of the inputs that no initialiser fills, the operators of the nodes, and whether all
    inputs and outputs are numbers."""
    names, filled, ops, numeric = [], set(), [], True
    for number, _, value in fields(path.read_bytes()):
        if number != 7:
            continue
        for part, _, body in fields(value):
            if part == 1:
                ops += [v.decode() for n, _, v in fields(body) if n == 4]
            numeric = numeric and (part not in (11, 12) or is_numeric(body))
            if part == 11:
                names += [v.decode() for n, _, v in fields(body) if n == 1]
            elif part == 5:
                filled |= {v.decode() for n, _, v in fields(body) if n == 8}
    return [n for n in names if n not in filled], ops, numeric


def number(value):
    if value is None:
        return math.nan
    return float(value) if isinstance(value, str) else value


def difference(wanted, got, steps):
    """'' where an output is right."""
    if wanted.dtype != got["dtype"]:
        return f"dtype {got['dtype']} instead of {wanted.dtype}"
    if list(wanted.dims) != got["shape"]:
        return f"shape {got['shape']} instead of {wanted.dims}"
    for i, (w, g) in enumerate(zip(wanted.values, got["values"])):
        g = number(g)
        if w == g or (math.isnan(w) and math.isnan(g)):
            continue
        real = wanted.dtype.startswith("float")
        if not real and abs(w - g) <= steps:
            continue
        if not (real and math.isfinite(w) and abs(w - g) <= 1e-7 + 1e-3 * abs(w)):
            return f"[{i}] is {g} instead of {w}"
    return ""


def attempt(netkit, model, inputs, fixed):
    """netkit run with the inputs whose indices are in `fixed` as constants."""
    words = []
    for i, (name, path, _) in enumerate(inputs):
        words += ["--fix" if i in fixed else "--input", f"{name}={path}"]
    return subprocess.run([netkit, "run", str(model), *words, "--json"], capture_output=True,
                          text=True, timeout=60)


def run(netkit, folder, data, work):
    """(operator, verdict, reason) of one test with one data set."""
    names, ops, numeric = model_of(folder / "model.onnx")
    op = ops[0] if len(set(ops)) == 1 else folder.name.removeprefix("test_")
    inputs = []
    if not numeric:
        return op, "no type", "an input or output of no numeric type"
    for i, name in enumerate(names):
        path = data / f"input_{i}.pb"
        if not path.exists():
            continue  # an optional input that the test leaves out
        tensor = tensor_of(path)
        if tensor is None:
            return op, "no type", "an input of no numeric type"
        target = work / f"{folder.name}_{data.name}_{i}.bin"
        target.write_bytes(tensor.raw)
        inputs.append((tensor.name or name, target, len(tensor.values)))
    small = {i for i, (_, _, count) in enumerate(inputs) if count <= 64}
    # The tests pass axes, sizes and scales as inputs: what is needed to plan becomes a constant.
    made = attempt(netkit, folder / "model.onnx", inputs, set())
    for fixed in (small - {0}, small):
        again = attempt(netkit, folder / "model.onnx", inputs, fixed) if made.returncode else made
        made = again
    error = " ".join(made.stderr.split("\n")[:1])
    if made.returncode == 3:
        return op, "refused", error.rsplit(": ", 1)[-1]
    if made.returncode != 0:
        return op, "wrong", f"exit code {made.returncode}: {error}"
    outputs = json.loads(made.stdout)["outputs"]
    for i, got in enumerate(outputs):
        wanted = tensor_of(data / f"output_{i}.pb")
        if wanted is None:
            return op, "no type", "an output of no numeric type"
        if why := difference(wanted, got, 1 if op in QUANTISED else 0):
            disputed = DISPUTED.get(folder.name)
            return op, "refused" if disputed else "wrong", disputed or f"output {i}: {why}"
    return op, "pass", ""


def run_all(netkit, root):
    jobs = [(f, d) for f in sorted(root.iterdir()) if (f / "model.onnx").exists()
            for d in sorted(f.glob("test_data_set_*"))]
    with tempfile.TemporaryDirectory() as work, concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda j: run(netkit, *j, pathlib.Path(work)), jobs))
    return [(f.name, *r) for (f, _), r in zip(jobs, results)]


def table(results):
    verdicts = collections.Counter(v for _, _, v, _ in results)
    known = sum(n for v, n in verdicts.items() if v != "no type")
    share = math.floor(1000 * verdicts["pass"] / max(known, 1)) / 10
    text = (f"{known} tests have numbers and truth values only as inputs and outputs: "
            f"{verdicts['pass']} pass ({share} %), {verdicts['refused']} are refused by name or "
            f"disputed, {verdicts['wrong']} are wrong. {verdicts['no type']} more are of strings, "
            "sequences, optionals or bfloat16 and do not count. Inputs that decide shapes (axes, "
            "sizes, scales) are given by `--fix`.\n\n"
            "| operator | pass | refused | wrong | why |\n|---|--:|--:|--:|---|\n")
    rows = collections.defaultdict(list)
    for name, op, verdict, why in results:
        if verdict != "no type":
            # A function of several nodes counts under what it stands for.
            rows[op if op[:1].isupper() else "functions written out"].append((verdict, why))
    for op, entries in sorted(rows.items()):
        count = collections.Counter(v for v, _ in entries)
        reasons = collections.Counter(w for v, w in entries if v != "pass")
        why = reasons.most_common(1)[0][0] if reasons else ""
        why = why.replace("|", "\\|")[:90]
        text += f"| {op} | {count['pass']} | {count['refused']} | {count['wrong']} | {why} |\n"
    causes = collections.defaultdict(list)
    for name, _, verdict, why in results:
        if verdict == "refused":
            causes[why].append(name.removeprefix("test_"))
    text += "\nWhat does not pass, by cause:\n\n| cause | tests | |\n|---|--:|---|\n"
    for why, names in sorted(causes.items(), key=lambda c: (-len(c[1]), c[0])):
        cause = why.replace("|", "\\|")
        text += f"| {cause} | {len(names)} | {' '.join(sorted(names))} |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description="ONNX node tests through netkit")
    parser.add_argument("netkit")
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--write", type=pathlib.Path, help="put the table into this page")
    parser.add_argument("--list", action="store_true", help="print every test that does not pass")
    options = parser.parse_args()
    results = run_all(options.netkit, options.data)
    if options.list:
        for name, _, verdict, why in results:
            if verdict not in ("pass", "no type"):
                print(f"{verdict}\t{name}\t{why}")
    text = table(results)
    if options.write:
        page = options.write.read_text()
        before, rest = page.split(BEGIN)
        options.write.write_text(before + BEGIN + text + END + rest.split(END)[1])
    print(text, end="")
    return 1 if any(v == "wrong" for _, _, v, _ in results) else 0


if __name__ == "__main__":
    sys.exit(main())
