# SPDX-License-Identifier: MIT
"""The programs of docs/python.md, one after the other, as a reader would type them."""
import os
import re

from conftest import MODELS, ROOT


def test_every_example_of_the_page(tmp_path, monkeypatch):
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    assert len(examples) >= 4
    os.symlink(MODELS, tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    names = {}
    for example in examples:
        exec(compile(example, "docs/python.md", "exec"), names)  # pylint: disable=exec-used
