// SPDX-License-Identifier: MIT
// The portfolio: which item goes first where several could. Integers only, so that every machine
// draws the same orders. Internal to this folder.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/plan/offsets/instance.h"

namespace netkit::plan {

constexpr int kLogBits = 16;
int64_t log2_fixed(uint64_t x);  // log2 with kLogBits fractional bits; x >= 1

// The draw-th order of the portfolio as ranks (a permutation; 0 first). Draws repeat nothing but by
// chance: each weighs life, load and size otherwise and shakes the result.
std::vector<int> draw_rank(const Instance& instance, uint64_t draw);

// 1, 1, 2, 1, 1, 2, 4, 1, ... (Luby, Sinclair and Zuckerman, 1993): restarts of unknown length.
uint64_t luby(uint64_t index);

// Places the items one by one in the order of rank, each at its lowest legal offset. Units.
std::vector<int64_t> first_fit(const Instance& instance, const std::vector<int>& rank);

int64_t height_of(const Instance& instance, const std::vector<int64_t>& offsets);  // bytes

}  // namespace netkit::plan
