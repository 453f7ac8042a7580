#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of docs/cpp-api.md: every C++ name of include/netkit and the C name behind it, read out
of the headers. Without arguments it writes the page anew; --check says whether it is current, and
whether the tests call every name."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "cpp-api.md"
BEGIN, END = "<!-- names: made by scripts/name_table.py -->\n", "<!-- end of names -->\n"

# Names whose body stands in the library, or calls another than the C function of the same sense.
BEHIND = {
    "Arena.init": "nk_arena_init", "Arena.alloc": "nk_arena_alloc",
    "Arena.reset": "nk_arena_reset", "Arena.remaining": "nk_arena_remaining",
    "Arena.init_heap": "nk_arena_init_heap", "Arena.destroy_heap": "nk_arena_destroy_heap",
    "Arena.capacity": "nk_arena_capacity", "Arena.offset": "nk_arena_used",
    "TensorFactory.Create2D": "nk_tensor_create_2d",
    "TensorFactory.CreateND": "nk_tensor_create_nd",
    "TensorFactory.View2D": "nk_tensor_view_2d",
    "TensorFactory.View2DInt8": "nk_tensor_view_2d_int8",
    "TensorFactory.View3DInt8": "nk_tensor_view_3d_int8",
    "TensorFactory.View1DInt32": "nk_tensor_view_1d_int32",
    "TensorFactory.Fill": "nk_tensor_fill", "TensorFactory.Print": "nk_tensor_print",
    "TensorFactory.PrintLabeled": "nk_tensor_print_labeled",
    "tensor_data_f32": "nk_tensor_data_f32", "tensor_data_i8": "nk_tensor_data_i8",
    "tensor_data_i32": "nk_tensor_data_i32", "index_nhwc": "nk_tensor_index_nhwc",
    "Ops.MulScalar": "nk_ops_mul_scalar", "Ops.LeakyReLU": "nk_ops_leaky_relu",
    "Conv2D.forward": "nk_conv2d_forward",
    "DepthwiseConv2D.forward": "nk_depthwise_conv2d_forward",
    "MLPNetwork.MLPNetwork": "nk_mlp_create",
    "MLPNetwork.InitActivationBuffers": "nk_mlp_init_activation_buffers",
    "CNNNetwork.CNNNetwork": "nk_cnn_create",
    "CNNNetwork.InitActivationBuffers": "nk_cnn_init_activation_buffers",
    "NkLoader.ParseFile": "nk_parse_architecture",
    "NkLoader.ParseBuffer": "nk_parse_architecture_memory",
    "NkLoader.PrintNetworkSummary": "nk_arch_print", "NkLoader.LoadMLP": "nk_mlp_load",
    "NkLoader.LoadMLPFromBuffer": "nk_mlp_load_memory", "NkLoader.LoadCNN": "nk_cnn_load",
    "NkLoader.LoadCNNFromBuffer": "nk_cnn_load_memory", "NkLoader.Load": "nk_model_load_auto",
    "NkLoader.InputElements": "nk_arch_info_t.input_elements",
    "NkLoader.OutputElements": "nk_arch_info_t.output_elements",
    "NkRegression.RunModelTests": "nk_run_model_tests", "run_all_tests": "nk_run_all_tests",
}
# What other names call and nobody else.
BEHIND_OTHERS = {"run_conv2d", "run_depthwise_conv2d", "own", "clear", "handle", "AdoptLayers"}
HEADERS = ["arena", "arena_util", "tensor_factory", "tensor_access", "ops", "conv2d",
           "depthwise_conv2d", "mlp", "cnn", "nk_loader", "nk_regression", "test", "cli"]
SCOPE = re.compile(r"^(?:class|struct) (\w+)(?: \{| :)|^namespace netkit::(\w+) \{|"
                   r"^namespace (\w+) \{")
# A declaration at the left edge of its scope: "type name(" or "name(" of a constructor.
DECLARED = re.compile(r"^ {0,2}(?:(?:inline |static |explicit |constexpr )*[\w:<>*&]+[ *&]+)?"
                      r"(\w+)\(")
OPS_ROW = re.compile(r"X\((\w+), (\w+)\)")
C_CALL = re.compile(r"\b(nk_[a-z]\w*)\(")
NOT_C = {"nk_last_error"}  # named in comments
PRIVATE = "-"
MACRO = re.compile(r"X$|name$|NETKIT_|bool$")  # of ops.hpp; a conversion


def names_of(header: str) -> list[tuple[str, str]]:
    """(C++ name, C name or "") in the order of the header."""
    found: dict[str, str] = {}
    space, scope, name = "", "", ""
    lines = (ROOT / "include" / "netkit" / f"{header}.hpp").read_text().splitlines()
    for line in lines:
        if match := SCOPE.match(line):
            scope = next(group for group in match.groups() if group)
            scope = "" if scope == "netkit" else scope
            space = space if match[1] else scope
        if line.startswith("}  // namespace"):
            space = scope = ""
        if line == "};":
            scope = space
        if line.strip() == "private:":
            name, scope = "", PRIVATE
        if header == "ops":
            for cpp, c in OPS_ROW.findall(line):
                found[f"Ops.{cpp}"] = f"nk_ops_{c}"
        match = DECLARED.match(line)
        if match and not line.lstrip().startswith(("return", "static_assert", "if", "for", "#")):
            name = f"{scope}.{match[1]}" if scope else match[1]
            if scope != PRIVATE and not match[1].startswith("nk_") and not MACRO.match(match[1]):
                found.setdefault(name, BEHIND.get(name, ""))
        call = C_CALL.search(line)
        if call and name in found and not found[name] and call[1] not in NOT_C:
            found[name] = call[1]
    return [(cpp.replace(".", "::"), c) for cpp, c in found.items()]


def table() -> str:
    lines = ["| C++ | C | header |", "|---|---|---|"]
    for header in HEADERS:
        for cpp, c in names_of(header):
            lines.append(f"| `{cpp}` | {f'`{c}`' if c else 'C++ only'} | `{header}.hpp` |")
    return "\n".join(lines) + "\n"


def uncalled() -> list[str]:
    """Names that no test of the C++ faces calls."""
    tests = [*sorted((ROOT / "tests/older_face").glob("*.cc")),
             ROOT / "src/runtime/capi/cpp_faces_test.cc"]
    text = "".join(path.read_text() for path in tests)
    names = {cpp.rpartition("::")[2] for header in HEADERS for cpp, _ in names_of(header)}
    # A constructor stands before the name of what it makes.
    return sorted(name for name in names if name not in BEHIND_OTHERS and
                  not re.search(rf"\b{name}(\(|>?\(| \w+[({{;])", text))


def main() -> int:
    text = PAGE.read_text()
    begin, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    current = text[:begin] + table() + text[end:]
    if "--check" in sys.argv[1:]:
        if missing := uncalled():
            print(f"names: no test calls {', '.join(missing)}", file=sys.stderr)
            return 1
        if current == text:
            print("names: the table of docs/cpp-api.md is current, the tests call every name")
            return 0
        print("names: docs/cpp-api.md is out of date: run scripts/name_table.py", file=sys.stderr)
        return 1
    PAGE.write_text(current)
    return 0


if __name__ == "__main__":
    sys.exit(main())
