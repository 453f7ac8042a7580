// SPDX-License-Identifier: MIT
// NkRegression: the test cases inside .nk files. Desktop class; C++17 and newer.
#ifndef NETKIT_NK_REGRESSION_HPP
#define NETKIT_NK_REGRESSION_HPP

#include <cstdint>

#include "netkit/arena.hpp"

namespace netkit::NkRegression {

struct RunSummary {
  std::uint32_t passed = 0;
  std::uint32_t failed = 0;
};

// A file that cannot be read counts as one failed case; nk_last_error says why.
RunSummary RunModelTests(const char* nk_path);

// Between the two, every model of RunModelTests runs in an arena of this capacity, and fails where
// it needs more; else in one of the planned size. false: capacity 0, or one is begun already.
bool BeginRegressionArena(std::size_t capacity = Arena::kDefaultCapacity);
void EndRegressionArena();

}  // namespace netkit::NkRegression

#endif
