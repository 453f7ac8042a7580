// SPDX-License-Identifier: MIT
// libFuzzer entry: any bytes as a .tflite file give a sound graph or an error.
#include <cstdio>
#include <cstdlib>

#include "compiler/import/soundness.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const std::string wrong = netkit::unsound_import(bytes, "fuzz.tflite");
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
