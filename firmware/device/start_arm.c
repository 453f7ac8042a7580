/* SPDX-License-Identifier: MIT */
/* Cortex-M: vector table, reset, faults. The core loads the stack pointer from vector 0. */
#include "start.h"

#define CPACR (*(volatile uint32_t*)0xe000ed88u) /* Armv7-M ARM B3.2.20 */
#define CFSR (*(volatile uint32_t*)0xe000ed28u)  /* Armv7-M ARM B3.2.15; not on Armv6-M */

extern uint32_t fw_stack_top[];

void fw_switch_on(void) {
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  CPACR |= 0xfu << 20; /* CP10, CP11: full access */
  __asm__ volatile("dsb\nisb" ::: "memory");
#endif
}

/* `frame`: r0 to r3, r12, lr, pc, xPSR, as the core stored them. */
__attribute__((used, noreturn)) static void report_fault(const uint32_t* frame) {
#if defined(__ARM_ARCH_6M__)
  fw_fault(frame[6], 0);
#else
  fw_fault(frame[6], CFSR);
#endif
}

__attribute__((naked)) static void fault_entry(void) {
  __asm__ volatile("mrs r0, msp\nb %c0" ::"i"(report_fault));
}

/* One type for all entries: a vector is an address. */
typedef void (*vector)(void);

__attribute__((section(".vectors"), used)) static const vector kVectors[16] = {
    (vector)fw_stack_top, fw_start,    fault_entry, fault_entry, fault_entry, fault_entry,
    fault_entry,          fault_entry, 0,           0,           0,           fault_entry,
    fault_entry,          0,           fault_entry, fault_entry};
