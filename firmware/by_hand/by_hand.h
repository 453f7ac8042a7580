/* SPDX-License-Identifier: MIT */
/* A network that a program builds by hand, on a device and on the host: cnn.cc with CNNNetwork,
 * c_only.c with the C interface alone. Each is linked with device.c or host.c. */
#ifndef NETKIT_FIRMWARE_BY_HAND_H
#define NETKIT_FIRMWARE_BY_HAND_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { kMemoryBytes = 24576, kMostOutputs = 64 };

/* Builds in `memory`, runs, and copies the result; its count, or 0 where something fails. */
size_t by_hand(unsigned char* memory, float* output, size_t* used_bytes);

/* Weights in constant memory; nothing may write there. */
extern const float by_hand_weights[4096];

#ifdef __cplusplus
}
#endif

#endif
