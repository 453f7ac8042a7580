/* SPDX-License-Identifier: MIT */
/* What differs between Cortex-M and RISC-V: the semihosting trap, the stack pointer, and the two
 * no-ops between which firmware/icount counts instructions. */
#ifndef NETKIT_FIRMWARE_CPU_H
#define NETKIT_FIRMWARE_CPU_H

#include <stdint.h>

/* One semihosting call (Arm "Semihosting for AArch32 and AArch64"; RISC-V "Semihosting" 0.4):
 * `arguments` points to words of the register width, or to text. */
static inline intptr_t cpu_semihost(uintptr_t operation, const void* arguments) {
#if defined(__arm__)
  register uintptr_t r0 __asm__("r0") = operation;
  register const void* r1 __asm__("r1") = arguments;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return (intptr_t)r0;
#elif defined(__riscv)
  register uintptr_t a0 __asm__("a0") = operation;
  register const void* a1 __asm__("a1") = arguments;
  /* The three instructions are uncompressed and stand in one page. */
  __asm__ volatile(
      ".option push\n.option norvc\n.balign 16\n"
      "slli x0, x0, 0x1f\nebreak\nsrai x0, x0, 7\n.option pop"
      : "+r"(a0)
      : "r"(a1)
      : "memory");
  return (intptr_t)a0;
#else
#error "firmware: no start-up code for this processor"
#endif
}

static inline uintptr_t cpu_stack_pointer(void) {
  uintptr_t value;
#if defined(__arm__)
  __asm__ volatile("mov %0, sp" : "=r"(value));
#else
  __asm__ volatile("mv %0, sp" : "=r"(value));
#endif
  return value;
}

static inline void cpu_mark_begin(void) {
#if defined(__arm__)
  __asm__ volatile("mov r10, r10" ::: "memory");
#else
  __asm__ volatile("slti x0, x0, 0x7a1" ::: "memory");
#endif
}

static inline void cpu_mark_end(void) {
#if defined(__arm__)
  __asm__ volatile("mov r11, r11" ::: "memory");
#else
  __asm__ volatile("slti x0, x0, 0x7a2" ::: "memory");
#endif
}

#endif
