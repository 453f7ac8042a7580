#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Who may include whom. Reads every #include "…" of src/ and holds it to the table below."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "src"

# layer of a file (first match) → prefixes that it may include, besides its own folder.
# {family} is the operator folder of the including file.
LAYERS = [
    (r"base/", ["base/"]),
    (r"ops/registry\.cc$", ["base/", "ops/", "compiler/ir/"]),
    (r"ops/.*\.cc$", ["base/", "ops/", "compiler/ir/"]),
    (r"ops/ops\.inc$", ["ops/"]),
    (r"ops/.*\.(c|h|inc)$", ["base/", "ops/common/", "ops/{family}/"]),
    (r"runtime/", ["base/", "ops/", "runtime/", "netkit"]),
    (r"backends/", ["base/", "ops/"]),
    (r"compiler/ir/", ["base/", "ops/common/kernel.h", "compiler/ir/"]),
    (r"compiler/eval/", ["base/", "ops/", "compiler/ir/", "compiler/eval/"]),
    (r"compiler/import/", ["base/", "compiler/ir/", "compiler/import/"]),
    (r"compiler/lower/", ["base/", "compiler/ir/", "compiler/eval/", "compiler/lower/"]),
    (r"compiler/passes/", ["base/", "ops/", "compiler/ir/", "compiler/eval/",
                           "compiler/passes/"]),
    (r"compiler/quant/", ["base/", "ops/", "compiler/ir/", "compiler/eval/", "compiler/quant/"]),
    (r"compiler/plan/", ["base/", "compiler/plan/"]),
    (r"compiler/select/", ["base/", "ops/", "compiler/ir/", "compiler/select/"]),
    (r"compiler/emit/", ["base/", "ops/common/kernel.h", "compiler/ir/", "compiler/select/",
                         "compiler/plan/", "compiler/emit/", "runtime/", "netkit/"]),
    (r"compiler/report/", ["base/", "compiler/ir/", "compiler/select/", "compiler/plan/",
                           "compiler/report/"]),
    (r"compiler/driver/", [""]),
    (r"cli/", ["base/", "compiler/driver/", "compiler/plan/", "compiler/ir/tensor_type.h",
               "cli/", "netkit"]),
]
GENERATED = ("onnx.pb.h", "tflite_generated.h", "tflite_bfbs_generated.h")
HOST_HEADER = ["base/", "ops/", "compiler/ir/"]
# Headers of tests build their inputs with any phase, as tests do.
TEST_HEADER = re.compile(r"(_test|_check)\.h$|/(fake_lower|int_oracle)\.h$|/testing/")


def main() -> int:
    wrong = []
    for path in sorted(ROOT.rglob("*")):
        if path.suffix not in (".h", ".c", ".cc", ".inc"):
            continue
        name = path.relative_to(ROOT).as_posix()
        allowed = next((a for pattern, a in LAYERS if re.match(pattern, name)), None)
        if allowed is None:
            wrong.append(f"src/{name}: stands in no known layer")
            continue
        text = path.read_text()
        # A header of the kernels' side carries guards; #pragma once marks C++ for the host.
        if name.startswith("ops/") and path.suffix == ".h" and "#pragma once" in text:
            allowed = HOST_HEADER
        if name.endswith("_test.cc") or TEST_HEADER.search(name):
            allowed = [""]
        family = name.split("/")[1] if name.startswith("ops/") else ""
        allowed = [a.format(family=family) for a in allowed]
        for number, line in enumerate(text.splitlines(), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if not match or match[1] in GENERATED:
                continue
            if not any(match[1].startswith(prefix) for prefix in allowed):
                wrong.append(f"src/{name}:{number}: may not include {match[1]}")
    print("\n".join(wrong) if wrong else "layers: every include is allowed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
