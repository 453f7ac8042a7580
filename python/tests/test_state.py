# SPDX-License-Identifier: MIT
"""State from run to run, and inputs that become constants."""
import netkit
import numpy
import pytest
import small_models


def step(model, value):
    return model.run(numpy.array([[value]], numpy.float32))[0].item()


def test_state_is_kept_saved_restored_and_reset(tmp_path):
    path = small_models.streaming(tmp_path)
    model = netkit.load(path)
    begun = model.save_state()
    assert isinstance(begun, bytes) and len(begun) >= 8
    assert [step(model, x) for x in (1, 2, 4, 8)] == [1, 3, 7, 14]
    saved = model.save_state()
    assert step(model, 16) == 28
    model.restore_state(saved)
    assert step(model, 16) == 28
    other = netkit.load(path)
    other.restore_state(saved)
    assert step(other, 16) == 28
    model.reset()
    assert model.save_state() == begun and step(model, 1) == 1


def test_state_of_another_size_is_refused(tmp_path, int8_model):
    model = netkit.load(small_models.streaming(tmp_path))
    for wrong in (b"", model.save_state() + b"1"):
        with pytest.raises(netkit.Error) as raised:
            model.restore_state(wrong)
        assert "\n" not in str(raised.value)
    with pytest.raises(TypeError):
        model.restore_state("text")
    stateless = netkit.load(int8_model)
    assert stateless.save_state() == b""
    stateless.restore_state(b"")
    stateless.reset()


@pytest.mark.parametrize("shape", ["3,4", [3, 4], numpy.array([3, 4]), "file"])
def test_an_input_becomes_a_constant(tmp_path, shape):
    path = small_models.reshaped(tmp_path)
    if isinstance(shape, str) and shape == "file":
        shape = tmp_path / "shape.npy"
        numpy.save(shape, numpy.array([3, 4], numpy.int32))
    model = netkit.load(path, fix={"shape": shape})
    assert [port.name for port in model.inputs] == ["x"]
    assert model.outputs[0].shape == (3, 4)
    x = numpy.arange(12, dtype=numpy.float32)
    assert (model.run(x)[0] == x.reshape(3, 4)).all()
    assert netkit.plan(path, fix={"shape": shape}).arena_bytes == model.arena_bytes


def test_a_constant_of_no_input_is_refused(tmp_path):
    with pytest.raises(netkit.Error) as raised:
        netkit.load(small_models.reshaped(tmp_path), fix={"nobody": 1})
    assert raised.value.code == 2 and "nobody" in str(raised.value)
