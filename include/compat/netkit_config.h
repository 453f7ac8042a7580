/* SPDX-License-Identifier: MIT */
/* The flat name of the older interface. */
#ifndef NETKIT_COMPAT_NETKIT_CONFIG_H
#define NETKIT_COMPAT_NETKIT_CONFIG_H

#include "netkit/config.h"

#endif
