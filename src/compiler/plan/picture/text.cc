// SPDX-License-Identifier: MIT
// The picture for a terminal.
#include <fmt/core.h>

#include <algorithm>

#include "compiler/plan/picture/svg.h"

namespace netkit::plan {
namespace {

constexpr const char* kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr size_t kMaxPeakLines = 12, kPeakNameLetters = 48;

// A letter per buffer: its own name where that is one letter, else the next free one, the largest
// buffer first; '*' when the letters are used up.
std::vector<char> letters_of(const Layout& layout) {
  std::vector<int> by_size;
  for (size_t b = 0; b < layout.buffers.size(); ++b) by_size.push_back(static_cast<int>(b));
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](int a, int b) { return layout.buffers[a].bytes > layout.buffers[b].bytes; });
  std::vector<char> letters(layout.buffers.size(), '*');
  std::string free = kLetters;
  for (size_t b = 0; b < layout.buffers.size(); ++b) {
    const LayoutBuffer& buffer = layout.buffers[b];
    if (buffer.kind == BufferKind::kScratch) letters[b] = '#';
    if (buffer.name.size() != 1 || buffer.alias_of >= 0) continue;
    const size_t at = free.find(buffer.name[0]);
    if (at == std::string::npos) continue;
    letters[b] = buffer.name[0];
    free.erase(at, 1);
  }
  for (const int b : by_size) {
    if (letters[b] != '*' || layout.buffers[b].alias_of >= 0 || free.empty()) continue;
    letters[b] = free[0];
    free.erase(0, 1);
  }
  return letters;
}

struct Pair {
  const LayoutBuffer* in = nullptr;
  const LayoutBuffer* out = nullptr;
  bool forward = true;
};

// The two buffers that share bytes at the step while its kernel runs.
Pair pair_at(const Layout& layout, int step) {
  for (const int b : layout.steps[step].live) {
    const LayoutBuffer& out = layout.buffers[b];
    for (const LayoutOverlap& o : out.overlaps) {
      const LayoutBuffer& in = layout.buffers[o.with];
      const bool shares = out.offset < in.offset + in.bytes && in.offset < out.offset + out.bytes;
      if (o.step != step || !shares) continue;
      return {&in, &out, o.forward_bytes && out.offset <= in.offset - *o.forward_bytes};
    }
  }
  return {};
}

// How far the kernel is when it comes to the address `at` of a buffer: 0 to 1.
double when(const LayoutBuffer& buffer, double at, bool forward) {
  const double part = (at - static_cast<double>(buffer.offset)) /
                      static_cast<double>(std::max<int64_t>(1, buffer.bytes));
  return forward ? part : 1 - part;
}

struct Cell {
  int step = 0;
  double progress = 0;       // of the step, in the middle of the column
  double low = 0, high = 0;  // addresses
};

// What fills most of the addresses of a cell; ' ' when more than half is free. Where an output
// takes over from an input, '/' or '\\' stands at the place that the kernel has come to.
char shown(const Layout& layout, const std::vector<char>& letters, const Cell& cell, double width) {
  const Pair pair = pair_at(layout, cell.step);
  const double middle = (cell.low + cell.high) / 2;
  double best = (cell.high - cell.low) / 2;
  char letter = ' ';
  for (const int b : layout.steps[cell.step].live) {
    const LayoutBuffer& buffer = layout.buffers[b];
    const double from = std::max(cell.low, static_cast<double>(buffer.offset));
    const double to = std::min(cell.high, static_cast<double>(buffer.offset + buffer.bytes));
    if (to - from <= best * 0.999) continue;
    const bool writes = &buffer == pair.out, reads = &buffer == pair.in;
    if (writes || reads) {
      const double passed = cell.progress - when(buffer, middle, pair.forward);
      if (writes && passed > -width / 2 && passed <= width / 2) return pair.forward ? '/' : '\\';
      if (writes ? passed < 0 : passed > 0) continue;  // not yet written, or read already
    }
    best = to - from;
    letter = letters[b];
  }
  return letter;
}

// In the unit in which the addresses of an arena of that size differ.
std::string address(double bytes, int64_t arena_bytes) {
  constexpr int64_t kInBytes = 8192;  // exclusive
  return arena_bytes < kInBytes ? fmt::format("{:>9.0f} B |", bytes)
                                : fmt::format("{:>9.1f} K |", bytes / 1024);
}

std::string step_column(const Layout& layout, int at, int columns) {
  const int steps = static_cast<int>(layout.steps.size());
  const int peak = peak_step(layout);
  std::string line(static_cast<size_t>(columns), ' ');
  for (int c = 0; c < columns; ++c) {
    if (c * steps / columns == at || (steps > columns && c == peak * columns / steps)) {
      line[static_cast<size_t>(c)] = '^';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

int peak_step(const Layout& layout) {
  int peak = 0;
  for (size_t i = 0; i < layout.steps.size(); ++i) {
    if (layout.steps[i].live_bytes > layout.steps[peak].live_bytes) peak = static_cast<int>(i);
  }
  return peak;
}

std::vector<int> peak_buffers(const Layout& layout) {
  if (layout.steps.empty()) return {};
  std::vector<int> live = layout.steps[peak_step(layout)].live;
  std::stable_sort(live.begin(), live.end(),
                   [&](int a, int b) { return layout.buffers[a].bytes > layout.buffers[b].bytes; });
  return live;
}

std::string text_picture(const Layout& layout, int columns, int rows) {
  std::string out;
  const int steps = static_cast<int>(layout.steps.size());
  if (steps == 0 || layout.arena_bytes == 0) return out;
  const std::vector<char> letters = letters_of(layout);
  // Whole columns per step, where there is room for that.
  if (steps <= columns) columns = columns / steps * steps;
  const double row_bytes = static_cast<double>(layout.arena_bytes) / rows;
  for (int r = rows - 1; r >= 0; --r) {
    std::string line;
    for (int c = 0; c < columns; ++c) {
      const double at = (c + 0.5) * steps / columns;
      const int step = std::min(steps - 1, static_cast<int>(at));
      line += shown(layout, letters, {step, at - step, r * row_bytes, (r + 1) * row_bytes},
                    static_cast<double>(steps) / columns);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    const bool labelled = r == rows - 1 || r == rows / 2 - 1 || r == 0;
    out += labelled ? address(r == 0 ? 0.0 : (r + 1) * row_bytes, layout.arena_bytes)
                    : std::string(11, ' ') + " |";
    out += line + "\n";
  }
  out += std::string(12, ' ') + "+" + std::string(static_cast<size_t>(columns), '-') + "\n";
  const int peak = peak_step(layout);
  out += std::string(13, ' ') + step_column(layout, peak, columns) + "\n";
  out += fmt::format("fullest at step {} of {}: {} bytes in use\n", peak + 1, steps,
                     layout.steps[peak].live_bytes);
  const std::vector<int> live = peak_buffers(layout);
  for (size_t i = 0; i < live.size() && i < kMaxPeakLines; ++i) {
    const LayoutBuffer& b = layout.buffers[live[i]];
    out += fmt::format("  {} {:>10} B {:>5.1f} %  {} ({})\n", letters[live[i]], b.bytes,
                       100.0 * static_cast<double>(b.bytes) /
                           static_cast<double>(std::max<int64_t>(1, layout.steps[peak].live_bytes)),
                       shortened(first_name(b.name), kPeakNameLetters), kind_name(b.kind));
  }
  if (live.size() > kMaxPeakLines) {
    out += fmt::format("  and {} smaller ones\n", live.size() - kMaxPeakLines);
  }
  return out;
}

}  // namespace netkit::plan
