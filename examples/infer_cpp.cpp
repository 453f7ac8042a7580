// SPDX-License-Identifier: MIT
// A .nk file from C++ on libnetkit alone, in place and without a heap of its own: loads it, runs it
// on the first digits of an IDX file, prints the classes. usage: infer_cpp MODEL.nk IMAGES.idx3
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <new>
#include <vector>

#include "netkit/model.hpp"

namespace {

constexpr std::size_t kPixels = 784, kHeader = 16, kAlignment = 64;

// A file's bytes at a multiple of kAlignment, as flash would hold them.
struct Block {
  explicit Block(std::size_t size)
      : bytes(size), data(::operator new(size, std::align_val_t{kAlignment})) {}
  ~Block() { ::operator delete(data, std::align_val_t{kAlignment}); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  std::size_t bytes;
  void* data;
};

std::vector<char> read(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A picture into the input, as its type wants it.
void fill(const netkit::ModelTensor& input, const unsigned char* pixels) {
  for (std::size_t i = 0; i < kPixels; ++i) {
    const float real = static_cast<float>(pixels[i]) / 255.0f;
    if (input.dtype == NK_DTYPE_INT8) {
      input.as<int8_t>()[i] = static_cast<int8_t>(input.quantize(real, -128, 127));
    } else {
      input.as<float>()[i] = real;
    }
  }
}

template <typename T>
long greatest(const netkit::ModelTensor& output) {
  const T* values = output.as<T>();
  return std::max_element(values, values + output.elements) - values;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: infer_cpp MODEL.nk IMAGES.idx3\n");
    return 2;
  }
  const std::vector<char> file = read(argv[1]), images = read(argv[2]);
  const Block model_file(std::max<std::size_t>(file.size(), 1));
  std::copy(file.begin(), file.end(), static_cast<char*>(model_file.data));
  const std::size_t need = netkit::Model::needed_arena_bytes(model_file.data, file.size());
  const Block arena(std::max<std::size_t>(need, 1));
  netkit::Model model;
  const nk_status_t status = model.load(model_file.data, file.size(), arena.data, arena.bytes);
  if (status != NK_OK || model.input(0).elements != kPixels) {
    std::fprintf(stderr, "infer_cpp: %s: %s\n", argv[1], nk_status_string(status));
    return 1;
  }
  std::printf("arena %zu B, classes:", model.arena_bytes());
  for (std::size_t i = 0; i < 10 && images.size() >= kHeader + (i + 1) * kPixels; ++i) {
    fill(model.input(0),
         reinterpret_cast<const unsigned char*>(images.data()) + kHeader + i * kPixels);
    if (model.run() != NK_OK) return 1;
    const netkit::ModelTensor output = model.output(0);
    std::printf(" %ld",
                output.dtype == NK_DTYPE_INT8 ? greatest<int8_t>(output) : greatest<float>(output));
  }
  std::printf("\n");
  return 0;
}
