# SPDX-License-Identifier: MIT
"""netkit from Python: plan, run, compile and emit trained networks (docs/python.md).

Every function is the verb of the command line with the same name and options; a fault is a
netkit.Error, whose text is the one line that the command line prints.
"""
import json
import os
import tempfile

import numpy

from ._error import Error
from ._netkit import Model, Tensor
from ._netkit import compile as _compile
from ._netkit import emit as _emit
from ._netkit import inspect as _inspect
from ._netkit import load as _load
from ._netkit import plan as _plan
from ._netkit import test as _test
from ._netkit import version as __version__

__all__ = ["Error", "Model", "Plan", "Tensor", "compile", "convert", "emit", "aot", "inspect",
           "load", "plan", "quantise", "test", "__version__"]

# Keyword → option of the command line, for what verbs with a model share.
_OPTIONS = {"target": "--target", "order": "--order", "plan_class": "--class",
            "time_limit": "--time-limit", "arena": "--arena",
            "ram": "--ram", "output": "--output", "name": "--name", "language": "--language",
            "io": "--io", "calibrate": "--calibrate", "samples": "--samples",
            "range": "--range", "percentile": "--percentile", "max_drop": "--max-drop"}
_LISTS = {"without": "--without", "keep_float": "--keep-float", "int16": "--int16"}
_FLAGS = {"omit_final_softmax": "--omit-final-softmax", "lib": "--lib",
          "specialize": "--specialize", "strict_lower": "--strict-lower", "int8": "--int8",
          "float_io": "--float-io", "auto_mixed": "--auto-mixed", "no_equalise": "--no-equalise",
          "no_bias_correction": "--no-bias-correction"}


def _fixed(what):
    """A file or text as it is, numbers as the command line's list."""
    if isinstance(what, (str, os.PathLike)):
        return os.fspath(what)
    return ",".join(str(int(number) if isinstance(number, bool) else number)
                    for number in numpy.ravel(what).tolist())


def _options(given):
    """Keywords that say something, as the command line spells them."""
    options = {}
    for name, value in given.items():
        if name in _FLAGS:
            if value:
                options[_FLAGS[name]] = True
        elif name == "shapes":
            if value:
                options["--shape"] = [f"{port}=" + "x".join(str(int(d)) for d in dims)
                                      for port, dims in value.items()]
        elif name == "fix":
            if value:
                options["--fix"] = [f"{port}={_fixed(what)}" for port, what in value.items()]
        elif name in _LISTS:
            if value is not None:
                options[_LISTS[name]] = list(value)
        elif name == "pixels":
            if value is not None:
                options["--pixels"] = ",".join(str(end) for end in value)
        elif name == "lower":
            if not value:
                options["--no-lower"] = True
        elif name not in _OPTIONS:
            raise TypeError(f"unknown option '{name}'")
        elif value is not None:
            options[_OPTIONS[name]] = os.fspath(value) if name == "calibrate" else str(value)
    return options


class Plan:
    """A memory plan, netkit-plan/1 (docs/plan-format.md); `json` holds all of it."""

    def __init__(self, text):
        self.json = json.loads(text)

    arena_bytes = property(lambda self: self.json["arena_bytes"])
    lower_bound_bytes = property(lambda self: self.json["lower_bound_bytes"])
    proven_minimal = property(lambda self: self.json["proven_minimal"])
    plan_class = property(lambda self: self.json["class"])
    order = property(lambda self: self.json.get("order", []))
    steps = property(lambda self: self.json.get("steps", []))
    buffers = property(lambda self: self.json["buffers"])

    def __repr__(self):
        proof = "proven minimal" if self.proven_minimal else "not proven minimal"
        return f"<netkit.Plan {self.arena_bytes} B, {proof}, class {self.plan_class}>"


def load(path, **options):
    """A model ready to run: .tflite, .onnx, .nk."""
    return _load(os.fsencode(path), _options(options))


def plan(path, **options):
    """The least arena of a model, graph or buffer list, with its bound."""
    return Plan(_plan(os.fsencode(path), _options(options)))


def compile(path, output=None, **options):  # pylint: disable=redefined-builtin
    """A model into a .nk file; a dict tells what it needs."""
    out = None if output is None else os.fspath(output)
    report = _compile(os.fsencode(path), _options({"output": out, **options}))
    if "quant" in report:
        report["quant"] = json.loads(report["quant"])
    return report


def quantise(path, samples, output=None, **options):
    """A float32 model into an int8 .nk file; `samples`: a file or folder, or an array whose first
    axis counts samples of the only input. The dict has what became of each layer under "quant"."""
    if isinstance(samples, (str, os.PathLike)):
        return compile(path, output, int8=True, calibrate=samples, **options)
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "samples.npy")
        numpy.save(file, numpy.ascontiguousarray(samples, numpy.float32))
        return compile(path, output, int8=True, calibrate=file, **options)


def emit(path, folder, *, language="c", io="arena", **options):
    """A model into C or C++ sources; a dict tells what they need."""
    return _emit(os.fsencode(path), os.fsencode(folder),
                 _options({"language": language, "io": io, **options}))


def inspect(path, **options):
    """What a model is made of and needs: netkit-inspect/1 as a dict."""
    return json.loads(_inspect(os.fsencode(path), _options(options)))


def test(path, *, arena=None):
    """The test cases inside a .nk file: a dict with passed, failed and failures."""
    return _test(os.fsencode(path), _options({"arena": arena}))


convert = compile
aot = emit
