#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every .tflite model below a folder beside LiteRT's reference kernels, on the same input.

usage: python3 bench/litert_table.py build/netkit DIR [PART]    (PART of a path: only such files)

Needs `pip install ai-edge-litert numpy`; LiteRT stays out of netkit's own tests. Each model runs
in a process of its own, since LiteRT ends the process on some files.
"""
import pathlib
import subprocess
import sys
import tempfile

CHILD = "--child"


def numbers(shape, dtype, numpy):
    """The inputs: all 24-bit fractions of a multiplicative sequence, over the type's range."""
    count = int(numpy.prod(shape, dtype=numpy.int64))
    steps = (numpy.arange(1, count + 1, dtype=numpy.uint64) * numpy.uint64(2654435761))
    share = ((steps & numpy.uint64(0xFFFFFFFF)) >> numpy.uint64(8)).astype(float) / 2**24
    if dtype == numpy.float32:
        return (2 * share - 1).astype(dtype).reshape(shape)
    if dtype == numpy.bool_:
        return (share > 0.5).reshape(shape)
    low = 128 if dtype == numpy.int8 else 0
    return (numpy.floor(256 * share).astype(numpy.int64) - low).astype(dtype).reshape(shape)


def beside(got, wanted, numpy):
    got, wanted = got.reshape(wanted.shape).astype(float), wanted.astype(float)
    apart = numpy.abs(got - wanted)
    if not apart.size or not apart.max() > 0:
        return "equal"
    return f"{100 * (apart == 0).mean():.2f} % equal, worst {apart.max():.2g}"


def child(netkit, path):
    import numpy
    from ai_edge_litert.interpreter import Interpreter, OpResolverType
    try:
        litert = Interpreter(model_path=path,
                             experimental_op_resolver_type=OpResolverType.BUILTIN_REF)
        litert.allocate_tensors()
        command, shapes = [netkit, "run", path], []
        with tempfile.TemporaryDirectory() as folder:
            for i, given in enumerate(litert.get_input_details()):
                values = numbers(tuple(given["shape"]), given["dtype"], numpy)
                litert.set_tensor(given["index"], values)
                values.tofile(f"{folder}/in{i}.bin")
                command += ["--input", f"{folder}/in{i}.bin"]
                shapes += ["--shape", given["name"] + "=" + "x".join(map(str, given["shape"]))]
            litert.invoke()
            wanted = [litert.get_tensor(o["index"]) for o in litert.get_output_details()]
            for i in range(len(wanted)):
                command += ["--output", f"{folder}/out{i}.bin"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                done = subprocess.run(command + shapes, capture_output=True, text=True)
            if done.returncode != 0:
                return "netkit refuses: " + done.stderr.split("\n")[0]
            got = [numpy.fromfile(f"{folder}/out{i}.bin", dtype=w.dtype)
                   for i, w in enumerate(wanted)]
        return "; ".join(beside(g, w, numpy) for g, w in zip(got, wanted))
    except (RuntimeError, ValueError) as refusal:
        return "LiteRT refuses: " + str(refusal).split("\n")[0]


def main():
    netkit, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    part = sys.argv[3] if len(sys.argv) > 3 else ""
    paths = [p for p in sorted(folder.rglob("*.tflite")) if part in str(p)]
    equal = compared = 0
    for path in paths:
        done = subprocess.run([sys.executable, __file__, CHILD, netkit, str(path)],
                              capture_output=True, text=True)
        text = done.stdout.strip() or "LiteRT ended the process"
        compared += "equal" in text
        equal += "equal" in text and "%" not in text
        print(f"{path.relative_to(folder)}: {text}", flush=True)
    print(f"{equal} of {compared} compared models equal LiteRT's reference kernels bit for bit")


if __name__ == "__main__":
    if sys.argv[1] == CHILD:
        print(child(sys.argv[2], sys.argv[3]))
    else:
        main()
