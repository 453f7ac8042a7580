/* SPDX-License-Identifier: MIT */
/* How deep a call goes into the stack: paint what lies below, call, look for the lowest word that
 * is no longer paint. Exact to a word as long as nothing interrupts. */
#ifndef NETKIT_FIRMWARE_PROBE_H
#define NETKIT_FIRMWARE_PROBE_H

#include <stddef.h>

/* Paints from its own stack pointer down to the end of .bss, at most 64 KiB. */
void fw_stack_paint(void);

/* 1 when the word next to .bss is no longer paint: the stack was too small, and .bss is suspect. To
 * be asked before anything else is believed. */
int fw_stack_overflowed(void);

/* Bytes below the stack pointer of fw_stack_paint that have been written since. */
size_t fw_stack_used(void);

#endif
