#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Arena, bound and proof of every model in a folder; seconds of the planner (elapsed) and of
`netkit plan` in all, import included (processor time)."""

import argparse
import json
import pathlib
import resource
import subprocess


def user_seconds() -> float:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def row(netkit: str, path: pathlib.Path, name: str) -> str | None:
    before = user_seconds()
    done = subprocess.run(
        [netkit, "plan", str(path), "--json"], capture_output=True, text=True, timeout=600
    )
    seconds = user_seconds() - before
    if done.returncode != 0:
        return None
    plan = json.loads(done.stdout)
    proof = "proven" if plan["proven_minimal"] else "not proven"
    return (
        f"| {name} | {len(plan['steps'])} | {plan['arena_bytes']} ({plan['class']}) "
        f"| {plan['lower_bound_bytes']} | {proof} | {plan['seconds']:.3f} | {seconds:.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--netkit", default="build/netkit")
    options = parser.parse_args()
    print("| model | steps | arena, B | bound, B | | planner, s | in all, s |")
    print("|---|--:|--:|--:|---|--:|--:|")
    refused = []
    for path in sorted(options.folder.rglob("*")):
        if path.suffix not in (".tflite", ".onnx"):
            continue
        name = str(path.relative_to(options.folder))
        line = row(options.netkit, path, name)
        if line is None:
            refused.append(name)
        else:
            print(line, flush=True)
    print(f"\nRefused (an operator or type that is not supported): {len(refused)}")
    for name in refused:
        print(f"  {name}")


if __name__ == "__main__":
    main()
