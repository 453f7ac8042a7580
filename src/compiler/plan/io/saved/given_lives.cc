// SPDX-License-Identifier: MIT
// A stored plan without steps: its lives were given, and so is what they need at most at once.
#include <algorithm>
#include <map>

#include "compiler/plan/io/saved/saved_parts.h"
#include "compiler/plan/offsets/place.h"

namespace netkit::plan {
namespace {

// Bytes [begin, end) are taken at the times [from, to), by buffer `owner`.
struct Piece {
  int64_t from, to, begin, end;
  size_t owner;
};

class Pieces {
 public:
  Pieces(const Layout& layout, const BufferGaps& gaps) : l_(layout), gaps_(gaps) {
    for (size_t b = 0; b < l_.buffers.size(); ++b) add_all(b);
  }

  // A sweep over the times; those alive stand apart. check_placement tries every pair, which a file
  // of some 100,000 buffers turns into minutes.
  Result<void> check() const {
    std::vector<std::pair<int64_t, int64_t>> events;  // time, piece + 1; negative: it ends
    for (size_t p = 0; p < pieces_.size(); ++p) {
      events.push_back({pieces_[p].from, static_cast<int64_t>(p) + 1});
      events.push_back({pieces_[p].to, -static_cast<int64_t>(p) - 1});
    }
    std::ranges::sort(events);        // at one time ends come first
    std::map<int64_t, size_t> taken;  // by the first byte
    for (const auto& [time, event] : events) {
      const Piece& piece = pieces_[std::abs(event) - 1];
      if (event < 0) {
        taken.erase(piece.begin);
        continue;
      }
      const auto after = taken.lower_bound(piece.begin);
      for (const auto near : {after, after == taken.begin() ? taken.end() : std::prev(after)}) {
        if (near == taken.end()) continue;
        const Piece& other = pieces_[near->second];
        if (other.begin >= piece.end || other.end <= piece.begin) continue;
        return saved_wrong("'" + l_.buffers[other.owner].name + "' and '" +
                               l_.buffers[piece.owner].name +
                               "' are alive together and share bytes",
                           "time " + std::to_string(time));
      }
      taken.emplace(piece.begin, static_cast<size_t>(event) - 1);
    }
    return {};
  }

 private:
  void add(const Piece& piece) {
    if (piece.from < piece.to && piece.begin < piece.end) pieces_.push_back(piece);
  }

  void add_all(size_t owner) {
    const LayoutBuffer& b = l_.buffers[owner];
    const int64_t end = b.offset + b.bytes;
    int64_t from = b.first_step;
    for (const LifeGap& gap : gaps_[owner]) {
      add({from, gap.steps.begin, b.offset, end, owner});
      add({gap.steps.begin, gap.steps.end, b.offset + gap.window.begin, b.offset + gap.window.end,
           owner});
      from = gap.steps.end;
    }
    add({from, int64_t{b.last_step} + 1, b.offset, end, owner});
  }

  const Layout& l_;
  const BufferGaps& gaps_;
  std::vector<Piece> pieces_;
};

}  // namespace

Result<void> check_given_lives(const Layout& layout, const BufferGaps& gaps) {
  return Pieces(layout, gaps).check();
}

int64_t peak_of_given_lives(const Layout& layout, const BufferGaps& gaps) {
  std::vector<PlacementBuffer> lives;
  for (size_t i = 0; i < layout.buffers.size(); ++i) {
    const LayoutBuffer& b = layout.buffers[i];
    PlacementBuffer given;
    given.lower = b.first_step;
    given.upper = int64_t{b.last_step} + 1;
    given.bytes = b.bytes;
    given.gaps = gaps[i];
    lives.push_back(std::move(given));
  }
  return most_alive(lives);
}

}  // namespace netkit::plan
