// SPDX-License-Identifier: MIT
// Sample inputs for the quantiser, from files of several kinds.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/quant/quant.h"

namespace netkit::driver {

// What bytes of pictures (IDX, PGM, PPM) become: 0 is lo, 255 is hi.
struct PixelRange {
  double lo = 0.0, hi = 1.0;
};

// Samples of a network's own inputs, all float32, in its own layout. `path` is
//   a folder: its files in the order of their names, each with samples of the only input; or one
//   folder per input, of the input's name, each with as many samples;
//   a file .npy (one sample, or several along a first axis), .csv (a sample per line, or one in
//   all), IDX (first axis counts samples; a name that ends in "-ubyte", ".idx" or ".idx3-ubyte"),
//   .pgm, .ppm (one sample), or any other: raw little-endian float32, one sample after the other.
// At most `limit` samples, taken at equal distances of all. Errors: kInput at the file; a picture
// of another size than the input is not resized.
Result<std::vector<quant::Sample>> read_samples(const std::string& path, const Graph& graph,
                                                const PixelRange& pixels, size_t limit);

}  // namespace netkit::driver
