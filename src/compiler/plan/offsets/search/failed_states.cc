// SPDX-License-Identifier: MIT
// The table of failed remainders.
#include "compiler/plan/offsets/search/search.h"

namespace netkit::plan {
namespace {

constexpr size_t kFirstSlots = 256;
constexpr size_t kMostSlots = size_t{1} << 20;

}  // namespace

void FailedStates::clear() {
  slots_.clear();
  used_ = 0;
}

bool FailedStates::contains(const Key& key) const {
  if (slots_.empty()) return false;
  const size_t mask = slots_.size() - 1;
  for (const size_t probe : {key.a & mask, (key.a + 1) & mask}) {
    if (slots_[probe].a == key.a && slots_[probe].b == key.b) return true;
  }
  return false;
}

void FailedStates::insert(const Key& key) {
  if (used_ * 2 >= slots_.size() && slots_.size() < kMostSlots) grow();
  const size_t mask = slots_.size() - 1;
  const size_t first = key.a & mask, second = (key.a + 1) & mask;
  const bool empty = slots_[first].a == 0 && slots_[first].b == 0;
  if (empty) ++used_;
  if (!empty) slots_[second] = slots_[first];
  slots_[first] = key;
}

void FailedStates::grow() {
  std::vector<Key> old(slots_.empty() ? kFirstSlots : slots_.size() * 4);
  old.swap(slots_);
  used_ = 0;
  for (const Key& key : old) {
    if (key.a != 0 || key.b != 0) insert(key);
  }
}

}  // namespace netkit::plan
