#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Budgets of size and the marks that every file carries (CONTRIBUTING.md)."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = {".c", ".cc", ".h", ".hpp", ".inc", ".py", ".sh", ".cmake", ".fbs", ".proto"}
MAX_LINES = {".h": 250, ".hpp": 250}
MAX_SOURCE_LINES = 400
MAX_COLUMNS = 100
MAX_FOLDER_FILES = 15
FOLDERS_OF_LISTS = {".", "docs", "models", "scripts", "include/compat", "include/netkit", "tests",
                    "bench", "cmake"}
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
SKIPS = re.compile(r"GTEST_SKIP|DISABLED_|pytest\.mark\.(skip|xfail)")

# The command's inputs are opened in one place, which the writer of its outputs asks.
OPENS = re.compile(r"\bifstream \w+[({]|\bfopen\(")
OPENING = re.compile(r"src/(cli|compiler)/(?!ir/files/files_read\.cc).*(?<!_test)\.cc$")


def tracked() -> list[pathlib.Path]:
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"],
                         cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / line for line in out.splitlines() if (ROOT / line).is_file()]


def check_file(path: pathlib.Path) -> list[str]:
    name = path.relative_to(ROOT).as_posix()
    found = []
    lines = path.read_text().splitlines()
    if not any("SPDX-License-Identifier: MIT" in line for line in lines[:3]):
        found.append(f"{name}: no SPDX line at its head")
    limit = MAX_LINES.get(path.suffix, MAX_SOURCE_LINES)
    if len(lines) > limit:
        found.append(f"{name}: {len(lines)} lines, at most {limit}")
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS:
            found.append(f"{name}:{number}: {len(line)} columns, at most {MAX_COLUMNS}")
        if name == "scripts/check_style.py":
            continue
        if UNFINISHED.search(line):
            found.append(f"{name}:{number}: unfinished work")
        if SKIPS.search(line):
            found.append(f"{name}:{number}: skipped test")
        if OPENING.match(name) and OPENS.search(line):
            found.append(f"{name}:{number}: opens a file past FilesRead (ir/files/files_read.h)")
    return found


def main() -> int:
    files = tracked()
    found = []
    folders: dict[str, int] = {}
    for path in files:
        folder = path.parent.relative_to(ROOT).as_posix()
        folders[folder] = folders.get(folder, 0) + 1
        if path.suffix in CODE:
            found += check_file(path)
        if path.stat().st_size > 1_000_000:
            found.append(f"{path.relative_to(ROOT)}: larger than 1 MB")
    for folder, count in sorted(folders.items()):
        if count > MAX_FOLDER_FILES and folder not in FOLDERS_OF_LISTS:
            found.append(f"{folder}: {count} files, at most {MAX_FOLDER_FILES}")
    print("\n".join(found) if found else f"style: {len(files)} files hold to it")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
