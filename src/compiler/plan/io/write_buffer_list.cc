// SPDX-License-Identifier: MIT
// A plan as a CSV buffer list.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "compiler/plan/io/buffer_list_csv.h"
#include "compiler/plan/regions/replace.h"

namespace netkit::plan {
namespace {

// A field that needs no quoting, other than all before.
std::string id_of(const std::string& name, std::unordered_set<std::string>& taken) {
  std::string id = name;
  for (char& c : id) {
    if (c == ',' || c == '"' || static_cast<unsigned char>(c) <= ' ') c = '_';
  }
  if (id.empty()) id = "_";
  std::string unique = id;
  for (int n = 2; !taken.insert(unique).second; ++n) unique = fmt::format("{}#{}", id, n);
  return unique;
}

// `out` stands at `at_out` and takes over from `in` at its first step: `in` keeps what is beside.
void give_way(PlacementBuffer& in, int64_t at_in, const PlacementBuffer& out, int64_t at_out) {
  const int64_t end_in = at_in + in.bytes, end_out = at_out + out.bytes;
  if (end_out <= at_in || end_in <= at_out) return;
  Interval beside{0, 0};
  if (end_out < end_in) beside = {end_out - at_in, in.bytes};
  if (at_out > at_in) beside = {0, at_out - at_in};
  const int64_t step = in.upper - 1;
  if (beside.end == 0 && in.lower < step) {
    in.upper = step;
  } else {
    in.gaps.push_back({{step, step + 1}, beside});
  }
}

std::string gaps_text(const PlacementBuffer& b) {
  std::string out;
  for (const LifeGap& gap : b.gaps) {
    out += fmt::format("{}{}-{}", out.empty() ? "" : " ", gap.steps.begin, gap.steps.end);
    const bool nothing = gap.window.begin == gap.window.end;
    if (!nothing) out += fmt::format("@{}:{}", gap.window.begin, gap.window.end);
  }
  return out;
}

}  // namespace

BufferList buffer_list_of(const Layout& layout) {
  Replacement r = replacement_of(layout);
  BufferList list;
  std::unordered_set<std::string> taken;
  std::vector<const LayoutBuffer*> roots(r.problem.buffers.size());
  for (size_t b = 0; b < layout.buffers.size(); ++b) {
    if (r.block[b] >= 0 && layout.buffers[b].alias_of < 0) {
      roots[r.block[b]] = &layout.buffers[b];
      r.problem.buffers[r.block[b]].fixed_offset = layout.buffers[b].offset;
    }
  }
  for (const PairRelaxation& pair : r.problem.relaxations) {
    PlacementBuffer &in = r.problem.buffers[pair.in], &out = r.problem.buffers[pair.out];
    give_way(in, *in.fixed_offset, out, *out.fixed_offset);
  }
  for (size_t i = 0; i < roots.size(); ++i) {
    PlacementBuffer& b = r.problem.buffers[i];
    if (layout.alignment > 1) b.alignment = layout.alignment;
    list.ids.push_back(id_of(roots[i]->name, taken));
    list.problem.buffers.push_back(std::move(b));
  }
  return list;
}

std::string buffer_list_csv(const BufferList& list, const std::vector<int64_t>& offsets) {
  const auto& buffers = list.problem.buffers;
  const bool aligned = std::ranges::any_of(buffers, [](const auto& b) { return b.alignment > 1; });
  const bool gaps = std::ranges::any_of(buffers, [](const auto& b) { return !b.gaps.empty(); });
  std::string out = fmt::format("id,lower,upper,size{},offset{}\n", aligned ? ",alignment" : "",
                                gaps ? ",gaps" : "");
  for (size_t i = 0; i < buffers.size(); ++i) {
    const PlacementBuffer& b = buffers[i];
    out += fmt::format("{},{},{},{}", list.ids[i], b.lower, b.upper, b.bytes);
    if (aligned) out += fmt::format(",{}", std::max<int64_t>(1, b.alignment));
    out += fmt::format(",{}", offsets[i]);
    if (gaps) out += "," + gaps_text(b);
    out += "\n";
  }
  return out;
}

}  // namespace netkit::plan
