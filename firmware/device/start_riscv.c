/* SPDX-License-Identifier: MIT */
/* RISC-V, machine mode: entry at the first address of the image, traps. */
#include "start.h"

#define WITH_CSR(text) ".option push\n.option arch, +zicsr\n" text "\n.option pop\n"

__attribute__((naked, used, section(".enter"))) void fw_enter(void) {
  __asm__ volatile(
      ".option push\n.option norelax\nla gp, __global_pointer$\n.option pop\n"
      "la sp, fw_stack_top\nla t0, fw_trap\n" WITH_CSR("csrw mtvec, t0")
      "j fw_start");
}

__attribute__((naked, used, aligned(4))) void fw_trap(void) {
  __asm__ volatile(WITH_CSR("csrr a0, mepc\ncsrr a1, mcause") "j fw_fault");
}

void fw_switch_on(void) {
#if defined(__riscv_flen) || defined(__riscv_vector)
  /* mstatus.FS and mstatus.VS := initial (privileged specification 1.12, 3.1.6.6). */
  const uintptr_t units = (uintptr_t)1 << 13 | (uintptr_t)1 << 9;
  __asm__ volatile(WITH_CSR("csrs mstatus, %0") ::"r"(units) : "memory");
#endif
}
