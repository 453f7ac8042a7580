# SPDX-License-Identifier: MIT
"""The verbs as functions and as python -m netkit; one exception; stated types."""
import ast
import os
import pathlib
import re
import subprocess
import sys

import netkit
import netkit._netkit
import numpy
import pytest

from conftest import MODELS


def test_a_plan_with_its_bound(int8_model):
    plan = netkit.plan(int8_model)
    assert plan.json["format"] == "netkit-plan/1"
    assert plan.arena_bytes >= plan.lower_bound_bytes and plan.proven_minimal
    assert plan.plan_class == "overlap" and plan.order and plan.buffers and plan.steps
    assert str(plan.arena_bytes) in repr(plan)
    assert netkit.plan(int8_model, plan_class="plain").arena_bytes >= plan.arena_bytes
    assert netkit.plan(int8_model, ram=plan.arena_bytes).arena_bytes == plan.arena_bytes


def test_what_does_not_fit_is_an_answer(int8_model):
    with pytest.raises(netkit.Error) as raised:
        netkit.plan(int8_model, ram="1K")
    assert raised.value.code == 1


def test_compile_and_run_the_file(tmp_path, digits, int8_model):
    report = netkit.compile(int8_model, tmp_path / "digits.nk")
    assert report["file_bytes"] == os.path.getsize(tmp_path / "digits.nk")
    one, other = netkit.load(tmp_path / "digits.nk"), netkit.load(int8_model)
    assert (one.run(digits.int8(0))[0] == other.run(digits.int8(0))[0]).all()
    assert one.nk_file == (tmp_path / "digits.nk").read_bytes()
    with pytest.raises(netkit.Error, match="no test cases"):
        netkit.test(tmp_path / "digits.nk")
    with pytest.raises(netkit.Error, match="finished plan"):
        netkit.load(tmp_path / "digits.nk", order="given")


@pytest.mark.parametrize("language,files", [("c", {"net.h", "net.c"}),
                                            ("cpp", {"net.hpp", "net.cpp"})])
def test_emit(tmp_path, int8_model, language, files):
    report = netkit.emit(int8_model, tmp_path, name="net", language=language, specialize=True)
    assert {pathlib.Path(path).name for path in report["files"]} == files
    assert report["arena_bytes"] == netkit.plan(int8_model).arena_bytes


def test_options_that_exclude_each_other(tmp_path, int8_model):
    for options in ({"lower": False, "strict_lower": True}, {"lower": False, "specialize": True},
                    {"lower": False, "io": "caller"}, {"lib": True, "specialize": True},
                    {"language": "pascal"}, {"io": "nowhere"}, {"name": "2"}):
        with pytest.raises(netkit.Error) as raised:
            netkit.emit(int8_model, tmp_path / "out", **options)
        assert raised.value.code == 2
    with pytest.raises(TypeError):
        netkit.emit(int8_model, tmp_path / "out", colour="red")
    assert not (tmp_path / "out").exists()


def test_inspect(int8_model):
    assert netkit.inspect(int8_model)["arena_bytes"] == netkit.plan(int8_model).arena_bytes


def test_errors_carry_what_the_command_line_prints(tmp_path, int8_model):
    path = tmp_path / "no such.tflite"
    with pytest.raises(netkit.Error) as raised:
        netkit.load(path)
    error = raised.value
    assert error.code == 3 and str(path) in str(error) and "\n" not in str(error)
    assert error.message and error.hint and isinstance(error.items, list)
    broken = tmp_path / "broken.tflite"
    broken.write_bytes(b"\x00" * 100)
    with pytest.raises(netkit.Error):
        netkit.plan(broken)
    with pytest.raises(netkit.Error, match="unknown target"):
        netkit.load(int8_model, target="no such chip")


def command(*words):
    return subprocess.run([sys.executable, "-m", "netkit", *map(str, words)], capture_output=True,
                          text=True, check=False)


def test_the_command_line(tmp_path, int8_model):
    for verb in (["convert", int8_model, "-o", tmp_path / "a.nk"],
                 ["plan", tmp_path / "a.nk"], ["inspect", tmp_path / "a.nk"],
                 ["aot", int8_model, "-o", tmp_path / "out", "--language", "cpp", "--name", "net"]):
        done = command(*verb)
        assert done.returncode == 0 and done.stdout and not done.stderr, done.stderr
    done = command("run", tmp_path / "a.nk", "--json", "--input", ",".join(["0"] * 784))
    assert done.returncode == 0 and '"netkit-run/1"' in done.stdout
    assert command("test", tmp_path / "a.nk").returncode == 3
    done = command("plan", tmp_path / "missing.onnx")
    assert done.returncode == 3 and done.stderr.count("\n") == 2
    assert command("no_such_verb").returncode == 2
    assert command("--version").stdout.strip() == netkit.__version__


def tree_of(pyi):
    return ast.parse((pathlib.Path(netkit.__file__).parent / pyi).read_text(encoding="utf-8"))


def options_of(verb):
    return set(re.findall(r"^ +(?:-\w,)?--([a-z0-9-]+)", command(verb, "--help").stdout, re.M))


def test_what_all_verbs_with_a_model_take_is_a_keyword():
    verbs = {"run": "load", "plan": "plan", "compile": "compile", "emit": "emit",
             "inspect": "inspect"}
    # json and arena may stand before every verb, also those without a model.
    shared = set.intersection(*map(options_of, verbs)) - {"help", "json", "arena"}
    other_names = {"shape": "shapes", "class": "plan_class"}
    keywords = {other_names.get(name, name.replace("-", "_")) for name in shared}
    assert {"fix", "target", "shapes", "omit_final_softmax"} <= keywords
    body = tree_of("__init__.pyi").body
    of_models = next({item.target.id for item in node.body} for node in body
                     if isinstance(node, ast.ClassDef) and node.name == "ModelOptions")
    stated = {node.name: {arg.arg for arg in node.args.kwonlyargs} |
                         (of_models if node.args.kwarg else set())
              for node in body if isinstance(node, ast.FunctionDef)}
    for name in verbs.values():
        assert keywords <= stated[name], name
        for keyword in stated[name] - {"arena", "ram"}:
            netkit._options({keyword: None})  # pylint: disable=protected-access


def names_of(pyi):
    tree = tree_of(pyi)
    names = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = {item.name for item in node.body
                                if isinstance(item, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = set()
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = set()
        elif isinstance(node, ast.Assign):
            names.update((target.id, set()) for target in node.targets)
    return names


def test_pyi_files_name_what_there_is():
    stated = names_of("_netkit.pyi")
    real = {name for name in dir(netkit._netkit) if not name.startswith("_")}
    assert set(stated) == real
    for name, members in stated.items():
        assert all(hasattr(getattr(netkit._netkit, name), member) for member in members), name
    stated = names_of("__init__.pyi")
    public = set(netkit.__all__) - {"Error", "Model", "Tensor"}
    assert public <= set(stated)
    assert (pathlib.Path(netkit.__file__).parent / "py.typed").exists()


def test_quantise_takes_arrays_and_files(tmp_path, float_model, digits):
    pixels = digits.pixels[:5].reshape(5, 1, 28, 28).astype(numpy.float32) / 255
    report = netkit.quantise(float_model, pixels, tmp_path / "a.nk")
    assert report["quant"]["format"] == "netkit-quant/1" and report["quant"]["samples"] == 5
    assert report["quant"]["agreement"] == 1
    model = netkit.load(tmp_path / "a.nk")
    assert model.inputs[0].dtype == "int8"
    scores, = model.run(pixels[0].reshape(1, 1, 28, 28), real=True)
    again = netkit.load(float_model, int8=True, calibrate=MODELS / "digits-images.idx3-ubyte",
                        samples=5, keep_float=["/fc/Gemm"], pixels=(0, 1))
    other, = again.run(pixels[0].reshape(1, 1, 28, 28), real=True)
    assert scores.argmax() == other.argmax()
    with pytest.raises(netkit.Error, match="needs sample inputs"):
        netkit.plan(float_model, int8=True)
