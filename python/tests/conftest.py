# SPDX-License-Identifier: MIT
"""The digit models and their expected outputs."""
import pathlib

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT / "models"
COUNT = 20


class Digits:
    """Pictures for the int8 and the float models, and what the models gave for them elsewhere."""

    def __init__(self):
        raw = (MODELS / "digits-images.idx3-ubyte").read_bytes()[16:16 + COUNT * 784]
        self.pixels = numpy.frombuffer(raw, numpy.uint8).reshape(COUNT, 28, 28)

    def int8(self, i):
        return (self.pixels[i].astype(numpy.int16) - 128).astype(numpy.int8).reshape(1, 28, 28, 1)

    @staticmethod
    def expected(name, dtype):
        data = numpy.fromfile(MODELS / f"{name}.expected.bin", dtype)
        return data.reshape(-1, 10)


@pytest.fixture(scope="session")
def digits():
    return Digits()


@pytest.fixture
def int8_model():
    return MODELS / "digits_cnn_int8.tflite"


@pytest.fixture
def float_model():
    return MODELS / "digits_cnn.onnx"
