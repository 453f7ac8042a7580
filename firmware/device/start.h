/* SPDX-License-Identifier: MIT */
/* From reset to fw_main: start_arm.c or start_riscv.c first, then fw_start. */
#ifndef NETKIT_FIRMWARE_START_H
#define NETKIT_FIRMWARE_START_H

#include <stdint.h>

/* Exit codes of the image, which is the emulator's own exit code. */
enum { kExitDone = 0, kExitFiles = 3, kExitModel = 4, kExitFault = 125 };

/* Fills .data and .bss, switches these units on, runs fw_main and ends with its value. */
void fw_start(void) __attribute__((noreturn));

/* Floating point and vector units; before any of their use. */
void fw_switch_on(void);

/* Says where the processor gave up and ends with kExitFault. `cause`: the fault status word. */
void fw_fault(uintptr_t pc, uintptr_t cause) __attribute__((noreturn));

int fw_main(void);

#endif
