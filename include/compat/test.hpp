// SPDX-License-Identifier: MIT
// The flat name of the older interface.
#ifndef NETKIT_COMPAT_TEST_HPP
#define NETKIT_COMPAT_TEST_HPP

#include "netkit/test.hpp"
#include "nk_regression.hpp"

using netkit::run_all_tests;

#endif
