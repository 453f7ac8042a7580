// SPDX-License-Identifier: MIT
#include "compiler/ir/const_data.h"

namespace netkit {

ConstData ConstData::repeated(Bytes element, size_t bytes) {
  ConstData data;
  data.all_ = std::make_shared<const All>(nullptr, std::move(element), bytes);
  return data;
}

const Bytes& ConstData::written() const {
  Bytes bytes(all_->size);
  const Bytes& element = all_->element;
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = element[i % element.size()];
  all_->bytes = std::make_shared<const Bytes>(std::move(bytes));
  return *all_->bytes;
}

}  // namespace netkit
