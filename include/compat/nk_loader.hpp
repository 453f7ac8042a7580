// SPDX-License-Identifier: MIT
// The flat names of the older interface.
#ifndef NETKIT_COMPAT_NK_LOADER_HPP
#define NETKIT_COMPAT_NK_LOADER_HPP

#include "cnn.hpp"
#include "netkit/nk_loader.hpp"
#include "nk_format.hpp"

using netkit::TestCase;
using netkit::TestSuite;
namespace NkLoader = netkit::NkLoader;

#endif
