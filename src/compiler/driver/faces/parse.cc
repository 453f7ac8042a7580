// SPDX-License-Identifier: MIT
// NkLoader: what a file holds, without loading it (netkit/nk_loader.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "compiler/driver/capi/network.h"
#include "runtime/host/mapped_file.h"
#include "runtime/loaded/load_result.h"

namespace netkit {

void TestSuite::clear() {
  std::free(block);
  block = nullptr;
  num_cases = 0;
}

namespace NkLoader {
namespace {

using nk_legacy::LegacyFile;
using nk_legacy::Stored;

void fill(const std::vector<Stored>& from, std::array<ParsedTensor, NkFormat::kMaxTensors>& to) {
  for (size_t i = 0; i < from.size() && i < to.size(); ++i) {
    to[i].type = from[i].dtype == NK_INT8    ? DataType::Int8
                 : from[i].dtype == NK_INT32 ? DataType::Int32
                                             : DataType::Float32;
    to[i].rank = static_cast<uint32_t>(std::min<size_t>(from[i].dims.size(), kMaxTensorRank));
    to[i].elements = to[i].rank == 0 ? 0 : 1;
    for (uint32_t d = 0; d < to[i].rank; ++d) {
      to[i].shape[d] = static_cast<uint32_t>(from[i].dims[d]);
      to[i].elements *= to[i].shape[d];
    }
  }
}

// false: no memory.
bool fill_quants(const LegacyFile& file, ParsedModel& out) {
  size_t scales = 0;
  for (const nk_legacy::QuantEntry& entry : file.quants) scales += entry.weight_scales.size();
  if (scales == 0) return true;
  out.scale_blob = static_cast<float*>(std::malloc(scales * sizeof(float)));
  if (out.scale_blob == nullptr) return false;
  float* at = out.scale_blob;
  out.num_quants = static_cast<uint32_t>(std::min(file.quants.size(), out.quants.size()));
  for (uint32_t i = 0; i < out.num_quants; ++i) {
    const nk_legacy::QuantEntry& from = file.quants[i];
    const auto count = static_cast<uint32_t>(from.weight_scales.size());
    out.quants[i] = {from.in_scale, from.out_scale, from.in_zero, from.out_zero, at, count};
    at = std::ranges::copy(from.weight_scales, at).out;
  }
  return true;
}

nk_status_t fill_layers(const uint8_t* data, size_t size, ParsedModel& out) {
  const auto file = nk_legacy::read_legacy({reinterpret_cast<const std::byte*>(data), size});
  if (!file) return driver::refuse(file.error(), NK_ERR_MODEL_PARSE);
  for (size_t i = 0; i < file->layers.size() && i < out.layers.size(); ++i) {
    out.layers[i] = static_cast<NkFormat::LayerType>(file->layers[i].kind);
  }
  out.quantized = file->is_int8();
  out.num_cases = static_cast<uint32_t>(file->cases.list.size());
  out.num_tensors = static_cast<uint32_t>(std::min(file->weights.size(), out.weights.size()));
  fill(file->weights, out.weights);
  fill(file->biases, out.biases);
  return fill_quants(*file, out) ? NK_OK : refuse(NK_ERR_ARENA_OVERFLOW, "out of memory");
}

void fill_steps(const uint8_t* data, size_t size, ParsedModel& out) {
  NkView view;
  if (!view.open(data, size).ok()) return;
  out.quantized = view.input_count() > 0 && view.input(0).scale != 0.0f;
  const nk_file_section* cases = view.find_section(NK_SECTION_TESTS);
  out.num_cases = cases != nullptr ? cases->count : 0;
}

// The bytes of the file and what to do with them.
template <typename Work>
LoadResult with_file(const char* path, const Work& work) {
  MappedFile file;
  const char* why = path == nullptr ? "no path" : file.open(path);
  if (why == nullptr) return work(file.data(), file.size());
  const std::string text = fmt::format("{}: {}", path == nullptr ? "" : path, why);
  return result_of(refuse(NK_ERR_MODEL_OPEN, text.c_str()), {}, false);
}

// One block for all inputs and expected values, 16-byte aligned pieces.
bool fill_cases(const LegacyCases& from, bool int8, TestSuite& out) {
  const auto padded = [](size_t bytes) { return (bytes + 15) / 16 * 16; };
  size_t bytes = 0;
  for (const LegacyCase& c : from.list) {
    bytes += padded(c.input.size()) + padded(c.expected.size() * sizeof(float));
  }
  out.block = static_cast<unsigned char*>(std::malloc(std::max<size_t>(bytes, 1)));
  if (out.block == nullptr) return false;
  unsigned char* at = out.block;
  const auto put = [&](const void* data, size_t size) {
    unsigned char* here = at;
    if (size != 0) std::memcpy(here, data, size);
    at += padded(size);
    return here;
  };
  for (const LegacyCase& c : from.list) {
    TestCase& to = out.cases[out.num_cases++];
    to = {};
    c.name.copy(to.name, sizeof to.name - 1);
    to.label = c.label;
    to.input_elements = static_cast<uint32_t>(c.input.size() / (int8 ? 1 : sizeof(float)));
    to.input = put(c.input.data(), c.input.size());
    to.expected_elements = static_cast<uint32_t>(c.expected.size());
    to.expected =
        reinterpret_cast<const float*>(put(c.expected.data(), c.expected.size() * sizeof(float)));
  }
  out.tolerance = from.tolerance;
  out.int8_inputs = int8;
  return true;
}

nk_status_t read_suite(const uint8_t* data, size_t size, TestSuite& out) {
  const uint32_t version = version_of(data, size);
  if (version == NkFormat::kVersion) return NK_OK;
  const auto file = nk_legacy::read_legacy({reinterpret_cast<const std::byte*>(data), size});
  if (!file) return driver::refuse(file.error(), NK_ERR_MODEL_PARSE);
  return fill_cases(file->cases, file->is_int8(), out)
             ? NK_OK
             : refuse(NK_ERR_ARENA_OVERFLOW, "out of memory");
}

}  // namespace

bool has_magic(const ModelSource& source) {
  if (source.data != nullptr) return version_of(source.data, source.size) != 0;
  MappedFile file;
  return source.path == nullptr || file.open(source.path) != nullptr ||
         version_of(file.data(), file.size()) != 0;
}

LoadResult ParseBuffer(const std::uint8_t* data, std::size_t size, ParsedModel& out) {
  out = {};
  const uint32_t version = data == nullptr ? 0 : version_of(data, size);
  nk_status_t status = nk_parse_architecture_memory(data, size, &out.arch);
  if (status == NK_OK && version < NkFormat::kVersion) {
    status = driver::guarded([&] { return fill_layers(data, size, out); });
  } else if (status == NK_OK) {
    fill_steps(data, size, out);
  }
  return result_of(status, out.arch, version != 0);
}

LoadResult ParseFile(const char* nk_path, ParsedModel& out) {
  out = {};
  return with_file(nk_path,
                   [&](const uint8_t* data, size_t size) { return ParseBuffer(data, size, out); });
}

void FreeParsedModelExtras(ParsedModel& parsed) {
  std::free(parsed.scale_blob);
  parsed.scale_blob = nullptr;
  parsed.num_quants = 0;
}

LoadResult ReadTestSuite(const char* nk_path, TestSuite& out) {
  out.clear();
  return with_file(nk_path, [&](const uint8_t* data, size_t size) {
    nk_arch_info_t arch{};
    nk_status_t status = nk_parse_architecture_memory(data, size, &arch);
    if (status == NK_OK) {
      status = driver::guarded([&] { return read_suite(data, size, out); });
    }
    return result_of(status, arch, version_of(data, size) != 0);
  });
}

void PrintNetworkSummary(const char* nk_path, const ParsedModel& model) {
  const nk_arch_info_t& a = model.arch;
  driver::print_arch(nk_path, a);
  if (a.version >= NkFormat::kVersion) return;
  for (uint32_t i = 0; i < a.num_layers && i < model.layers.size(); ++i) {
    const auto kind = static_cast<nk_legacy::Kind>(model.layers[i]);
    std::printf("  %u %s\n", i, std::string(nk_legacy::name_of(kind)).c_str());
  }
}

}  // namespace NkLoader
}  // namespace netkit
