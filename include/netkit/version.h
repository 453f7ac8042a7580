/* SPDX-License-Identifier: MIT */
/* The version of netkit, written into every file that it makes. C99 and C++. */
#ifndef NETKIT_VERSION_H
#define NETKIT_VERSION_H

#define NETKIT_VERSION_MAJOR 0
#define NETKIT_VERSION_MINOR 1
#define NETKIT_VERSION_PATCH 0
#define NETKIT_VERSION_STRING "0.1.0"

/* The same under the prefix of the C interface. */
#define NK_VERSION_MAJOR NETKIT_VERSION_MAJOR
#define NK_VERSION_MINOR NETKIT_VERSION_MINOR
#define NK_VERSION_PATCH NETKIT_VERSION_PATCH
#define NK_VERSION_STRING NETKIT_VERSION_STRING

#endif
