// SPDX-License-Identifier: MIT
// Scalar vectors of a flatbuffer. Files found in use hold 64-bit numbers at addresses that are
// no multiple of 8, where the library's own element access is undefined.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstring>
#include <vector>

namespace netkit::tflite {

// The elements of `v`, none where it is absent.
template <typename T>
std::vector<T> copied(const flatbuffers::Vector<T>* v) {
  if (v == nullptr || v->size() == 0) return {};
  std::vector<T> out(v->size());
  std::memcpy(out.data(), v->Data(), out.size() * sizeof(T));
  return out;
}

}  // namespace netkit::tflite
