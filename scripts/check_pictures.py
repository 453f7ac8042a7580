#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Screenshots of plan pages in headless Chromium, light and dark, without network: what
must be seen is there, in its colour. Says `note:` and passes where no Chromium is found."""
import argparse
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

BROWSERS = ["chromium", "chromium-headless-shell", "chromium-browser", "google-chrome"]
WIDTH, HEIGHT = 1300, 1000
UNPRIVILEGED = "nobody"
# Of src/compiler/plan/picture/style.cc.
LIGHT = {"background": "ffffff", "ink": "1b1f24", "input": "8bbdf0", "activation": "b4dcae",
         "output": "f5bd74", "bound": "c62f2f", "curve": "cbd3de"}
DARK = {"background": "14171b", "ink": "e9ebee", "input": "2b66a6", "activation": "33703a",
        "output": "9c601c", "bound": "ff7a6b", "curve": "2d343e"}


def unfiltered(raw: bytes, width: int, height: int, step: int) -> list[bytearray]:
    """The rows of a PNG's image data (RFC 2083, section 6), eight bits per channel."""
    rows, before, stride = [], bytearray(width * step), width * step
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:][:stride])
        for i in range(stride if kind else 0):
            left = row[i - step] if i >= step else 0
            up, corner = before[i], before[i - step] if i >= step else 0
            if kind == 1:
                guess = left
            elif kind == 2:
                guess = up
            elif kind == 3:
                guess = (left + up) // 2
            else:
                guess = min((abs(up - corner), 0, left), (abs(left - corner), 1, up),
                            (abs(left + up - 2 * corner), 2, corner))[2]
            row[i] = (row[i] + guess) & 255
        rows.append(row)
        before = row
    return rows


def colours(path: pathlib.Path) -> dict[str, int]:
    """How many pixels have each colour."""
    data, at, packed = path.read_bytes(), 8, b""
    width = height = step = 0
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            if depth != 8 or colour not in (2, 6):
                raise ValueError("unexpected kind of PNG")
            step = 3 if colour == 2 else 4
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    counts: dict[str, int] = {}
    for row in unfiltered(zlib.decompress(packed), width, height, step):
        for x in range(0, len(row), step):
            name = row[x:x + 3].hex()
            counts[name] = counts.get(name, 0) + 1
    return counts


def screenshot(browser: str, page: pathlib.Path, dark: bool) -> dict[str, int]:
    image = page.with_suffix(".dark.png" if dark else ".light.png")
    flags = ["--headless", "--disable-gpu", "--hide-scrollbars",
             "--host-resolver-rules=MAP * ~NOTFOUND", f"--window-size={WIDTH},{HEIGHT}",
             f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
    # Chromium does not start for root, and needs a home that it may write to.
    user = UNPRIVILEGED if os.geteuid() == 0 else None
    subprocess.run([browser, *flags, f"--screenshot={image}", page.as_uri()], check=True, user=user,
                   env={**os.environ, "HOME": str(page.parent)}, capture_output=True, timeout=120)
    return colours(image)


def wide_graph(steps: int) -> dict:
    """A chain with branches of about two buffers a step."""
    tensors = [{"name": f"t{i}", "bytes": 512 * (1 + i * 7919 % 37)} for i in range(steps + 1)]
    ops = [{"name": f"op{i}", "inputs": [f"t{i}"] + ([f"t{i - 4}"] if i % 5 == 4 else []),
            "outputs": [f"t{i + 1}"], "scratch_bytes": 256 + i % 3 * 128} for i in range(steps)]
    return {"format": "netkit-graph/1", "tensors": tensors, "ops": ops, "inputs": ["t0"],
            "outputs": [f"t{steps}"]}


def check(name: str, found: dict[str, int], scheme: dict[str, str], least: dict[str, int]) -> list:
    wrong = [f"{name}: {role} has {found.get(scheme[role], 0)} pixels, at least {pixels} expected"
             for role, pixels in least.items() if found.get(scheme[role], 0) < pixels]
    most = max(found, key=found.get)
    if most != scheme["background"]:
        wrong.append(f"{name}: the background is {most}, not {scheme['background']}")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("netkit")
    parser.add_argument("examples", type=pathlib.Path)
    args = parser.parse_args()
    browser = next((path for b in BROWSERS if (path := shutil.which(b))), None)
    if browser is None:
        print("note: no Chromium: the screenshots of plan pages were not taken")
        return 0
    wrong: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if os.geteuid() == 0:
            shutil.chown(folder, UNPRIVILEGED)
        (folder / "wide.json").write_text(json.dumps(wide_graph(400)))
        small = {"input": 2000, "activation": 40000, "output": 2000, "curve": 5000, "ink": 300,
                 "bound": 40}
        large = {"activation": 20000, "curve": 5000, "ink": 300, "bound": 300}
        for source, least in ((args.examples / "graph.json", small),
                              (folder / "wide.json", large)):
            page = folder / f"{source.stem}.html"
            subprocess.run([args.netkit, "plan", source, "--html", page], check=True,
                           capture_output=True, timeout=120)
            for dark, scheme in ((False, LIGHT), (True, DARK)):
                found = screenshot(browser, page, dark)
                wrong += check(f"{page.name}, {'dark' if dark else 'light'}", found, scheme, least)
    print("\n".join(wrong) if wrong else "pictures: what must be seen is there, light and dark")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
