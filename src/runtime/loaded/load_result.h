// SPDX-License-Identifier: MIT
// A status of the C interface in the words of NkLoader.
#pragma once

#include "netkit/nk_loader.hpp"

namespace netkit::NkLoader {

// `arch` counts where status is NK_OK; has_magic: the bytes begin as a .nk file does.
LoadResult result_of(nk_status_t status, const nk_arch_info_t& arch, bool has_magic);
// false: another kind of file altogether; true where that cannot be told.
bool has_magic(const ModelSource& source);

}  // namespace netkit::NkLoader
