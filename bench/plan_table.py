#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`netkit plan` on every model of a folder tree, the slowest first: arena, bound and proof, seconds
of the planner (elapsed) and of the whole command, import included (user time), what is refused and
why, and a summary. With --certificates `netkit check-plan` checks each plan's certificate."""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

SUFFIXES = (".tflite", ".onnx")


def planned(netkit: str, path: pathlib.Path) -> tuple[dict, float]:
    """The plan or the error as an object, and the command's user seconds."""
    with subprocess.Popen(
        [netkit, "plan", str(path), "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    try:
        return json.loads(text), usage.ru_utime
    except json.JSONDecodeError:
        return {"message": f"no JSON, exit code {process.returncode}"}, usage.ru_utime


def verdicts(netkit: str, path: pathlib.Path) -> list[dict]:
    """What check-plan says of the plans of this model, one per class."""
    with tempfile.TemporaryDirectory() as folder:
        proof = os.path.join(folder, "proof.json")
        subprocess.run(
            [netkit, "plan", str(path), "--json", "--certificate", proof],
            stdout=subprocess.DEVNULL,
            check=True,
        )
        checked = subprocess.run(
            [netkit, "check-plan", proof, "--json"], stdout=subprocess.PIPE, check=False
        )
        return json.loads(checked.stdout)["plans"]


def print_certificates(netkit: str, folder: pathlib.Path, names: list[str]) -> None:
    count = verified = 0
    for name in sorted(names):
        for plan in verdicts(netkit, folder / name):
            count += 1
            if plan["valid"] and plan["bound_verified"]:
                verified += 1
                continue
            print(f"  {name} class {plan['class']}: {plan['reason'] or plan['how']}")
    print(f"{count} plans certified, {verified} of them verified with their bound")


def row(name: str, plan: dict, seconds: float) -> str:
    proof = "proven" if plan["proven_minimal"] else "not proven"
    return (
        f"| {name} | {len(plan['steps'])} | {plan['arena_bytes']} ({plan['class']}) "
        f"| {plan['lower_bound_bytes']} | {proof} | {plan['seconds']:.3f} | {seconds:.2f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--netkit", default="build/netkit")
    parser.add_argument("--top", type=int, help="so many rows only; the summary is of all")
    parser.add_argument("--certificates", action="store_true", help="check them too")
    options = parser.parse_args()
    done, refused = [], []
    for path in sorted(options.folder.rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        name = str(path.relative_to(options.folder))
        plan, seconds = planned(options.netkit, path)
        if plan.get("format") == "netkit-plan/1":
            done.append((seconds, name, plan))
        else:
            refused.append((seconds, name, plan.get("message", "")))
    done.sort(key=lambda entry: (-entry[0], entry[1]))
    print("| model | steps | arena, B | bound, B | | planner, s | in all, s |")
    print("|---|--:|--:|--:|---|--:|--:|")
    for seconds, name, plan in done[: options.top]:
        print(row(name, plan, seconds))
    print(f"\nRefused: {len(refused)}")
    for seconds, name, why in refused:
        print(f"  {name} ({seconds:.2f} s): {why[:100]}")
    proven = sum(plan["proven_minimal"] for _, _, plan in done)
    slow = sum(seconds >= 1 for seconds, _, _ in done + refused)
    print(f"\n{len(done)} planned, {proven} proven minimal; {len(refused)} refused; ", end="")
    print(f"{slow} took 1 s or more; {sum(e[0] for e in done + refused):.1f} s in all")
    if options.certificates:
        print_certificates(options.netkit, options.folder, [name for _, name, _ in done])


if __name__ == "__main__":
    main()
