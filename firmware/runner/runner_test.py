# SPDX-License-Identifier: MIT
"""The parts of the runner that need no compiler and no emulator."""
import json
import pathlib
import struct
import tempfile
import unittest

from firmware.runner import boards, compare, interface, reference
from firmware.runner.errors import FirmwareError

TOY = pathlib.Path(__file__).resolve().parent / "toy"


class Boards(unittest.TestCase):
    def changed(self, **fields) -> str:
        value = json.loads((boards.FOLDER / "mps2-an386.json").read_text())
        value.update(fields)
        return json.dumps({key: field for key, field in value.items() if field is not None})

    def refuse(self, text: str, message: str) -> None:
        with self.assertRaises(FirmwareError) as caught:
            boards.parse("b.json", text)
        self.assertIn(message, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))

    def test_every_board_file_is_read_and_named_as_its_file(self):
        self.assertGreaterEqual(len(boards.names()), 8)
        for name in boards.names():
            board = boards.load(name)
            self.assertEqual(board.name, name)
            self.assertTrue(all(region.source for region in board.regions))

    def test_unknown_board(self):
        for name in ("mps2-an999", "../boards/mps2-an386", "/nowhere/board.json"):
            with self.assertRaisesRegex(FirmwareError, "unknown board .*known: microbit, mps2"):
                boards.load(name)

    def test_a_board_file_of_ones_own(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "mine.json"
            path.write_text(self.changed(name="mine"))
            self.assertEqual(boards.load(str(path)).name, "mine")
            path.write_text("{}")
            with self.assertRaisesRegex(FirmwareError, "mine.json: 'format' is missing"):
                boards.load(str(path))

    def test_overlapping_regions(self):
        regions = [{"name": "A", "kind": "code", "origin": "0x0", "bytes": 4096, "source": "s"},
                   {"name": "B", "kind": "ram", "origin": "0x800", "bytes": 8192, "source": "s"}]
        self.refuse(self.changed(regions=regions),
                    "b.json: regions 'A' and 'B' overlap from 0x800 to 0x1000")

    def test_wrong_files(self):
        self.refuse("{", "b.json: not JSON")
        self.refuse("[]", "not an object")
        self.refuse(self.changed(format="netkit-board/2"), "format 'netkit-board/2'")
        self.refuse(self.changed(core=None), "'core' is missing")
        self.refuse(self.changed(stack_bytes="4K"), "'stack_bytes' is not of type int")
        self.refuse(self.changed(stack_bytes=1), "stack_bytes 1 does not lie")
        self.refuse(self.changed(colour="red"), "unknown field 'colour'")
        self.refuse(self.changed(flags=[1]), "every entry is a string")
        self.refuse(self.changed(emulator={"program": "sh", "options": []}), "emulator 'sh'")
        region = {"name": "A", "kind": "code", "origin": "0x0", "bytes": 4096, "source": "s"}
        self.refuse(self.changed(regions=[region]), "no region of kind 'ram'")
        self.refuse(self.changed(regions=[region | {"kind": "rom"}]), "kind 'rom'")
        self.refuse(self.changed(regions=[region | {"origin": "here"}]), "origin 'here'")
        self.refuse(self.changed(regions=[region | {"bytes": -1}]), "-1 bytes is no size")


class Interface(unittest.TestCase):
    def setUp(self):
        self.text = (TOY / "toy.h").read_text()

    def test_reads_an_emitted_header(self):
        toy = interface.parse("toy", self.text)
        self.assertEqual(toy.inputs, (interface.Port("int8_t", 9), interface.Port("float", 3)))
        self.assertEqual(toy.outputs, (interface.Port("int16_t", 8), interface.Port("float", 3)))
        self.assertEqual((toy.input_bytes, toy.output_bytes), (21, 28))
        self.assertEqual((toy.arena_bytes, toy.arena_alignment, toy.weight_bytes), (64, 16, 4))
        self.assertTrue(toy.has_places and toy.has_reset)

    def test_refuses_others(self):
        for before, after, message in (
                ("TOY_ARENA_BYTES", "TOY_BYTES", "no TOY_ARENA_BYTES"),
                ("int toy_run", "int toy_walk", "no toy_run"),
                ("const float* in1", "const half* in1", "'const half\\* in1'"),
                ("const float* in1", "float in1[3]", "cannot read the argument"),
                (", int16_t* out0, float* out1", "", "no outputs")):
            with self.assertRaisesRegex(FirmwareError, message):
                interface.parse("toy", self.text.replace(before, after))
        with self.assertRaisesRegex(FirmwareError, "no such file; make it with netkit emit"):
            interface.load(TOY, "boy")


class Compare(unittest.TestCase):
    def setUp(self):
        self.toy = interface.parse("toy", (TOY / "toy.h").read_text())
        self.expected = struct.pack("<8h3f8h3f", *range(8), 1, 2, 3, *range(8), 4, 5, 6)

    def test_counts_cases(self):
        self.assertEqual(compare.count_cases(self.toy, bytes(42), bytes(56)), 2)
        for given, expected, message in ((43, 56, "no multiple of the 21 bytes"),
                                         (42, 28, "2 cases of 28 bytes are 56"),
                                         (0, 0, "no multiple")):
            with self.assertRaisesRegex(FirmwareError, message):
                compare.count_cases(self.toy, bytes(given), bytes(expected))

    def test_equal_and_different(self):
        self.assertEqual(compare.differences(self.toy, self.expected, self.expected, 1), (0, None))
        got = bytearray(self.expected)
        got[28 + 4] ^= 1
        self.assertEqual(compare.differences(self.toy, self.expected, bytes(got), 1),
                         (1, compare.Difference(1, 0, 0, 2, 2, 3)))

    def test_repeated_runs_are_held_against_their_case(self):
        one, two = self.expected[:28], self.expected[28:]
        got = one + one + two + one
        self.assertEqual(compare.differences(self.toy, self.expected, got, 2),
                         (1, compare.Difference(1, 1, 1, 0, 4.0, 1.0)))

    def test_tolerance_is_for_floats_only(self):
        near = struct.pack("<8h3f", *range(8), 1.000001, 2, 3)
        self.assertEqual(compare.differences(self.toy, self.expected, near, 1)[0], 1)
        self.assertEqual(compare.differences(self.toy, self.expected, near, 1, 1e-5)[0], 0)
        nan = struct.pack("<8h3f", *range(8), float("nan"), 2, 3)
        self.assertEqual(compare.differences(self.toy, self.expected, nan, 1, 1e-5)[0], 1)
        word = struct.pack("<8h3f", 1, *range(1, 8), 1, 2, 3)
        self.assertEqual(compare.differences(self.toy, self.expected, word, 1, 10.0)[0], 1)
        zero = struct.pack("<8h3f", *range(8), 0.0, 2, 3)
        minus = struct.pack("<8h3f", *range(8), -0.0, 2, 3)
        self.assertEqual(compare.differences(self.toy, zero, minus, 1)[0], 1)


class Reference(unittest.TestCase):
    def test_names(self):
        for file, name in (("kws-ref.model.tflite", "kws_ref_model"), ("3in.tflite", "m3in")):
            self.assertEqual(reference.c_name(pathlib.Path(file)), name)

    def test_random_inputs_are_fixed(self):
        draws = reference.Xorshift32(0x12345678)
        first = [draws.next() for _ in range(2)]
        toy = interface.parse("toy", (TOY / "toy.h").read_text())
        cases = reference.random_cases(toy, 2)
        self.assertEqual(cases, reference.random_cases(toy, 2))
        self.assertEqual([len(data) for data in cases[1]], [9, 12])
        self.assertEqual(list(cases[0][0][:2]), [draw >> 24 for draw in first])
        self.assertTrue(all(0 <= x < 1 for x in struct.unpack("<3f", cases[0][1])))


if __name__ == "__main__":
    unittest.main()
