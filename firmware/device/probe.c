/* SPDX-License-Identifier: MIT */
#include "probe.h"

#include "cpu.h"

enum { kMostBytes = 65536 };
static const uint32_t kPaint = 0x5ac3a53cu;

extern uint32_t fw_stack_limit[]; /* image.ld.in: the end of .bss, aligned to 8 */
static uint32_t* lowest;
static uintptr_t painted_to;

/* Never inlined: the frame of the caller, which calls the model next, must lie above. */
__attribute__((noinline)) void fw_stack_paint(void) {
  const uintptr_t top = cpu_stack_pointer();
  uintptr_t bottom = (uintptr_t)fw_stack_limit;
  if (top - bottom > kMostBytes) bottom = top - kMostBytes;
  *(volatile uint32_t*)fw_stack_limit = kPaint;
  lowest = (uint32_t*)bottom;
  painted_to = top;
  /* volatile: a call to memset would stand in the painted part. */
  for (volatile uint32_t* word = lowest; (uintptr_t)word < top; ++word) *word = kPaint;
}

/* No variable of ours: they stand where an overflow writes. */
int fw_stack_overflowed(void) { return *(const volatile uint32_t*)fw_stack_limit != kPaint; }

size_t fw_stack_used(void) {
  const volatile uint32_t* word = lowest;
  while ((uintptr_t)word < painted_to && *word == kPaint) ++word;
  return painted_to - (uintptr_t)word;
}

