# SPDX-License-Identifier: MIT
"""The whole runner on a toy model written by hand, and on spoilt copies of it. Needs the compilers
and emulators of scripts/packages.tsv."""
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

from firmware.runner import boards

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOY = pathlib.Path(__file__).resolve().parent / "toy"
CASES = 3
RUN_HEAD = "  if (in0 == NULL"  # in toy.c: the first line of toy_run


def toy_files() -> tuple[bytes, bytes]:
    given = expected = b""
    for case in range(CASES):
        words = [(case * 37 + i * 11) % 256 - 128 for i in range(9)]
        floats = [0.25 * i + case for i in range(3)]
        given += struct.pack("<9b3f", *words, *floats)
        expected += struct.pack("<8h3f", *(a + b for a, b in zip(words, words[1:])),
                                *(math.sqrt(x) for x in floats))
    return given, expected


class Emulated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = pathlib.Path(temporary.name)

    def setUp(self):
        given, expected = toy_files()
        (self.folder / "in.bin").write_bytes(given)
        (self.folder / "out.bin").write_bytes(expected)
        for name in ("toy.h", "toy.c"):
            (self.folder / name).write_text((TOY / name).read_text())

    def spoil(self, before: str, after: str, file: str = "toy.c") -> None:
        text = (self.folder / file).read_text()
        self.assertIn(before, text)
        (self.folder / file).write_text(text.replace(before, after))

    def run_on(self, board: str, *options: str, path: str | None = None):
        return subprocess.run(
            [sys.executable, str(ROOT / "scripts/run_firmware.py"), board, "--model-dir",
             str(self.folder), "--name", "toy", "--input", str(self.folder / "in.bin"),
             "--expect", str(self.folder / "out.bin"), "--work", str(self.folder / "work"),
             *options], capture_output=True, text=True, check=False,
            env=os.environ if path is None else os.environ | {"PATH": path})

    def result(self, board: str, *options: str) -> dict:
        done = self.run_on(board, "--json", *options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def refuse(self, code: int, message: str, board: str, *options: str, path=None) -> None:
        done = self.run_on(board, *options, path=path)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertRegex(done.stderr, message)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")

    def test_every_board_gives_the_expected_bytes(self):
        for name in boards.names():
            with self.subTest(board=name):
                result = self.result(name)
                self.assertEqual(result["runs"], CASES)
                self.assertEqual(result["arena_touched_bytes"], 64)
                self.assertEqual(result["model_data_bytes"], 0)
                self.assertEqual(result["model_bss_bytes"], 64)
                self.assertTrue(0 < result["stack_bytes"] <= 128)

    def test_other_ways_to_build_it(self):
        for board in ("mps2-an386", "riscv32-virt"):
            for options in (("--compiler", "clang-22"), ("--arena", "external"),
                            ("--io", "caller"), ("--opt=-Os",)):
                with self.subTest(board=board, options=options):
                    self.assertEqual(self.result(board, "--repeat", "2", *options)["runs"], 6)

    def test_state_is_reset_between_runs_unless_kept(self):
        self.result("mps2-an386", "--repeat", "3")
        done = self.run_on("mps2-an386", "--keep-state", "--cases", "2")
        self.assertEqual(done.returncode, 1)
        self.assertIn("DIFFERS in 1 of 2 runs, first case 1 output 0 index 0: expected -171, "
                      "got -170", done.stdout)

    def test_a_wrong_byte_is_found(self):
        self.spoil("{1, 1, 0, 0}", "{1, 2, 0, 0}")
        done = self.run_on("riscv32-virt")
        self.assertEqual(done.returncode, 1)
        self.assertIn("DIFFERS in 3 of 3 runs, first case 0 output 0 index 0: expected -245, "
                      "got -362", done.stdout)

    def test_instructions_are_counted_exactly(self):
        loops = {"mps2-an386": '"1: subs %0, #1\\nbne 1b" : "+l"(n) : : "cc"',
                 "riscv32-virt": '"1: addi %0, %0, -1\\nbnez %0, 1b" : "+r"(n)'}
        plain = (self.folder / "toy.c").read_text()
        for board, loop in loops.items():
            counts = []
            for turns in (1000, 251000):
                (self.folder / "toy.c").write_text(plain.replace(
                    RUN_HEAD, f"  int n = {turns};\n  __asm__ volatile({loop});\n" + RUN_HEAD))
                counts.append(self.result(board, "--count", "--cases", "1")["instructions"])
            self.assertEqual(len(counts[0]), 1)
            # The greater constant may take one instruction more to load.
            self.assertIn(counts[1][0] - counts[0][0] - 500000, (0, 1))

    def test_stack_is_measured(self):
        self.spoil(RUN_HEAD, "  volatile char big[3000];\n  for (int i = 0; i < 3000; ++i) "
                   "big[i] = 1;\n  (void)big[0];\n" + RUN_HEAD)
        for board in ("microbit", "riscv64-virt"):
            used = self.result(board)["stack_bytes"]
            self.assertTrue(3000 <= used <= 3128, used)

    def test_stack_overflow(self):
        self.spoil(RUN_HEAD, "  volatile char big[16134];\n  for (int i = 0; i < 16134; ++i) "
                   "big[i] = 1;\n  (void)big[0];\n" + RUN_HEAD)
        self.refuse(1, "microbit: toy: stack overflow", "microbit")

    def test_faults_name_the_function(self):
        self.spoil(RUN_HEAD, "  if (in0[0] == -128) __builtin_trap();\n" + RUN_HEAD)
        for board in ("microbit", "mps3-an547", "riscv32-virt", "riscv64-virt"):
            self.refuse(1, "toy: the processor faulted in toy_run at 0x", board)

    def test_a_hang_ends(self):
        self.spoil(RUN_HEAD, "  for (volatile int i = 0;;) (void)i;\n" + RUN_HEAD)
        self.refuse(1, "no end after 2 s", "mps2-an386", "--timeout", "2")

    def test_the_status_of_the_run(self):
        self.spoil(RUN_HEAD, "  if (in0[0] != -128) return 1;\n" + RUN_HEAD)
        self.refuse(1, "run returned an error", "mps2-an386")

    def test_writes_outside_the_arena(self):
        self.spoil(RUN_HEAD, "  toy_arena[TOY_ARENA_BYTES] = 1;\n" + RUN_HEAD)
        self.refuse(1, "written outside the arena", "mps2-an386", "--arena", "external")

    def test_arena_of_another_size_than_planned(self):
        self.spoil("toy_arena[TOY_ARENA_BYTES]", "toy_arena[80]")
        self.refuse(1, "toy_arena has 80 bytes in the object, the plan says 64", "mps2-an386")

    def test_the_heap_and_stdio_are_refused(self):
        self.spoil("#include <string.h>", "#include <stdio.h>\n#include <stdlib.h>\n"
                   "#include <string.h>")
        self.spoil(RUN_HEAD, "  void* volatile p = malloc(4);\n  printf(\"%p\", p);\n" + RUN_HEAD)
        for board in ("mps2-an386", "riscv32-virt"):
            self.refuse(1, "the emitted object calls malloc, printf: only mem", board)

    def test_a_model_that_is_too_big(self):
        self.spoil("toy_weights[4]", "toy_weights[300000]")
        self.spoil(RUN_HEAD, "  if (toy_weights[(uint8_t)in0[0] * 1000] == 7) return 1;\n" +
                   RUN_HEAD)
        self.refuse(1, "microbit: toy: does not fit: .* bytes more than the 262144 bytes of flash",
                    "microbit")
        self.spoil("toy_weights[300000]", "toy_weights[300]")
        self.spoil("* 1000", "")
        self.spoil("TOY_ARENA_BYTES 64", "TOY_ARENA_BYTES 16000", "toy.h")
        self.refuse(1, "more than the 16384 bytes of RAM, 1024 of them kept for the stack",
                    "microbit")

    def test_wrong_use(self):
        self.refuse(2, "unknown board 'nucleo'", "nucleo")
        self.refuse(2, "clang-99 is not installed", "mps2-an386", "--compiler", "clang-99")
        self.refuse(2, "arm-none-eabi-gcc is not installed: apt-get install gcc-arm-none-eabi",
                    "mps2-an386", path="/nonexistent")
        self.refuse(2, "--repeat and --cases are 1 or more", "mps2-an386", "--repeat", "0")
        self.spoil("int toy_run(", "int toy_run(int", "toy.c")
        self.refuse(2, "compiling .*toy.c:.* error", "mps2-an386")
        (self.folder / "in.bin").write_bytes(bytes(20))
        self.refuse(2, "the input file has 20 bytes", "mps2-an386")


if __name__ == "__main__":
    unittest.main()
