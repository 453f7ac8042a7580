# SPDX-License-Identifier: MIT
"""Models with numpy arrays: the bits, the checks of dtype and shape, threads, ownership."""
import sys
import threading
import time

import netkit
import numpy
import pytest


def test_int8_outputs_are_those_of_tensorflow_lite(digits, int8_model):
    model = netkit.load(int8_model)
    expected = digits.expected("digits_cnn_int8", numpy.int8)
    for i in range(20):
        output, = model.run(digits.int8(i))
        assert output.dtype == numpy.int8 and output.shape == model.outputs[0].shape
        assert output.reshape(-1).tolist() == expected[i].tolist()


def test_tensors_say_what_they_are(int8_model):
    model = netkit.load(int8_model)
    port, = model.inputs
    assert port.dtype == "int8" and port.shape == (1, 28, 28, 1)
    assert len(port.scale) == 1 and port.zero_point == [-128]
    assert model.arena_bytes == netkit.plan(int8_model).arena_bytes
    assert port.name in repr(port)


def test_inputs_by_name_and_without_dimensions_of_one(digits, int8_model):
    model = netkit.load(int8_model)
    first, = model.run(digits.int8(0))
    named, = model.run({model.inputs[0].name: digits.int8(0)})
    flat, = model.run(digits.int8(0).reshape(28, 28))
    assert (first == named).all() and (first == flat).all()


def test_an_array_that_is_not_contiguous_is_read_in_order(digits, int8_model):
    model = netkit.load(int8_model)
    wide = numpy.zeros((28, 56), numpy.int8)
    wide[:, ::2] = digits.int8(3).reshape(28, 28)
    assert (model.run(wide[:, ::2])[0] == model.run(digits.int8(3))[0]).all()


def test_real_numbers_are_quantised_where_asked(digits, int8_model):
    model = netkit.load(int8_model)
    port = model.inputs[0]
    real = (digits.int8(5).astype(numpy.float32) - port.zero_point[0]) * port.scale[0]
    assert (model.run(real, real=True)[0] == model.run(digits.int8(5))[0]).all()


@pytest.mark.parametrize("wrong,text", [
    (lambda x: (x.astype(numpy.float32),), "is float32, the model needs int8"),
    (lambda x: (x.reshape(1, 14, 56, 1),), "has shape [1x14x56x1], the model needs [1x28x28x1]"),
    (lambda x: (x, x), "2 inputs given, the model has 1"),
    (lambda x: (), "0 inputs given"),
    (lambda x: ({"no such input": x},), "is not given"),
    (lambda x: ({},), "is not given"),
    (lambda x: (object(),), "the model needs"),
])
def test_wrong_arrays_are_one_line(digits, int8_model, wrong, text):
    model = netkit.load(int8_model)
    with pytest.raises(netkit.Error) as raised:
        model.run(*wrong(digits.int8(0)))
    assert text in str(raised.value) and "\n" not in str(raised.value)
    assert raised.value.hint


def test_outputs_belong_to_the_caller(digits, int8_model):
    model = netkit.load(int8_model)
    first, = model.run(digits.int8(0))
    kept = first.copy()
    model.run(digits.int8(1))
    del model
    assert (first == kept).all() and first.flags.owndata


def test_inputs_are_not_written(digits, int8_model):
    model = netkit.load(int8_model)
    x = digits.int8(2)
    x.flags.writeable = False
    before = x.copy()
    model.run(x)
    assert (x == before).all()


def test_threads_take_turns(digits, int8_model):
    model = netkit.load(int8_model)
    expected = digits.expected("digits_cnn_int8", numpy.int8)
    wrong = []

    def work(i):
        for _ in range(10):
            if model.run(digits.int8(i))[0].reshape(-1).tolist() != expected[i].tolist():
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_lock_of_the_interpreter_is_free_during_work(int8_model):
    """A second thread counts while the first plans; no switch is forced."""
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.0001)

    interval = sys.getswitchinterval()
    thread = threading.Thread(target=count, daemon=True)
    try:
        sys.setswitchinterval(1000)
        thread.start()
        before = counted[0]
        for _ in range(1000):
            netkit.plan(int8_model)
            if counted[0] > before:
                break
        assert counted[0] > before
    finally:
        sys.setswitchinterval(interval)
        done.set()
    thread.join()


def test_floats_within_the_stated_bound(digits, float_model):
    model = netkit.load(float_model)
    expected = digits.expected("digits_cnn", numpy.float32)
    shape = model.inputs[0].shape
    for i in range(5):
        x = (digits.pixels[i].astype(numpy.float32) / 255).reshape(shape)
        output, = model.run(x)
        assert output.dtype == numpy.float32
        assert numpy.abs(output.reshape(-1) - expected[i]).max() < 1e-5


def test_the_softmax_at_the_end_may_go(digits, float_model, int8_model):
    for path, x in ((float_model, None), (int8_model, digits.int8(7))):
        whole = netkit.load(path)
        if x is None:
            x = (digits.pixels[7].astype(numpy.float32) / 255).reshape(whole.inputs[0].shape)
        try:
            logits = netkit.load(path, omit_final_softmax=True)
        except netkit.Error as error:
            assert "no output of the model is made by a softmax" in str(error)
            continue
        assert logits.run(x)[0].argmax() == whole.run(x)[0].argmax()
        assert logits.outputs[0].name == whole.outputs[0].name
