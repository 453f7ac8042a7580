// SPDX-License-Identifier: MIT
// What the two importers share.
#include "compiler/import/common.h"

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <limits>
#include <queue>

namespace netkit {

Result<void> Budget::spend(uint64_t bytes) {
  if (bytes > left_) {
    return bad_input(
        fmt::format("the contents would take more than {} times the file's size in "
                    "memory",
                    kFactor));
  }
  left_ -= bytes;
  return {};
}

AttrTensor byte_attr(std::span<const std::byte> bytes) {
  AttrTensor tensor;
  tensor.type.dtype = NK_UINT8;
  tensor.type.dims = {static_cast<int64_t>(bytes.size())};
  tensor.data = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  return tensor;
}

std::string shown(std::string_view name) {
  constexpr size_t kMaxShown = 100;
  std::string text = "'";
  for (const char c : name.substr(0, kMaxShown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  return text + (name.size() > kMaxShown ? "…'" : "'");
}

Error inside(std::string_view outer, Error error) {
  error.where =
      error.where.empty() ? std::string(outer) : fmt::format("{}, {}", outer, error.where);
  return error;
}

Result<Bytes> pack_strings(const std::vector<std::string_view>& strings) {
  uint64_t total = 4 * (uint64_t{strings.size()} + 2);
  for (const std::string_view s : strings) total += s.size();
  if (total > uint64_t{std::numeric_limits<int32_t>::max()}) {
    return bad_input("a string tensor is too large");
  }
  Bytes bytes(total);
  std::byte* table = bytes.data();
  const auto put = [&table](size_t value) {
    const auto word = static_cast<uint32_t>(value);
    for (int i = 0; i < 4; ++i) *table++ = static_cast<std::byte>(word >> (8 * i));
  };
  put(strings.size());
  size_t at = 4 * (strings.size() + 2);
  for (const std::string_view s : strings) {
    put(at);
    if (!s.empty()) std::memcpy(bytes.data() + at, s.data(), s.size());
    at += s.size();
  }
  put(at);
  return bytes;
}

void normalise_bools(Bytes& bytes) {
  for (std::byte& b : bytes) b = b == std::byte{0} ? std::byte{0} : std::byte{1};
}

namespace {

std::vector<int> producers_of(const ForeignGraph& graph) {
  std::vector<int> producer(graph.tensors.size(), -1);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    for (const int t : graph.nodes[n].outputs) {
      if (t != kAbsent) producer[static_cast<size_t>(t)] = static_cast<int>(n);
    }
  }
  return producer;
}

}  // namespace

Result<void> sort_nodes(ForeignGraph& graph, const std::vector<std::vector<int>>& needs) {
  const size_t count = graph.nodes.size();
  const std::vector<int> producer = producers_of(graph);
  std::vector<std::vector<size_t>> followers(count);
  std::vector<size_t> waits(count, 0);
  bool in_order = true;
  for (size_t n = 0; n < count; ++n) {
    for (const int t : needs[n]) {
      const int from = t == kAbsent ? -1 : producer[static_cast<size_t>(t)];
      if (from < 0) continue;
      followers[static_cast<size_t>(from)].push_back(n);
      ++waits[n];
      in_order = in_order && static_cast<size_t>(from) < n;
    }
  }
  if (in_order) return {};

  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
  for (size_t n = 0; n < count; ++n) {
    if (waits[n] == 0) ready.push(n);
  }
  std::vector<ForeignNode> sorted;
  sorted.reserve(count);
  while (!ready.empty()) {
    const size_t n = ready.top();
    ready.pop();
    sorted.push_back(graph.nodes[n]);
    for (const size_t next : followers[n]) {
      if (--waits[next] == 0) ready.push(next);
    }
  }
  if (sorted.size() == count) {
    graph.nodes = std::move(sorted);
    return {};
  }
  for (size_t n = 0; n < count; ++n) {
    if (waits[n] == 0) continue;
    for (const int t : needs[n]) {
      const int from = t == kAbsent ? -1 : producer[static_cast<size_t>(t)];
      if (from < 0 || waits[static_cast<size_t>(from)] == 0) continue;
      return bad_input(fmt::format("the nodes form a cycle: {} is needed before it can be made",
                                   shown(graph.tensors[static_cast<size_t>(t)].name)),
                       fmt::format("node {} ({})", shown(graph.nodes[n].name), graph.nodes[n].op));
    }
  }
  return bad_input("the nodes form a cycle");
}

}  // namespace netkit
