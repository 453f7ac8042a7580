/* SPDX-License-Identifier: MIT */
/* The network on a device: the bits of each result, and what the arena and the stack took. */
#include <string.h>

#include "by_hand.h"
#include "host.h"
#include "probe.h"
#include "start.h"

static unsigned char memory[kMemoryBytes];

int fw_main(void) {
  float output[kMostOutputs];
  size_t used = 0, count, i;
  memset(memory, 0xA5, sizeof memory);
  fw_stack_paint();
  count = by_hand(memory, output, &used);
  if (fw_stack_overflowed() || count == 0) return kExitModel;
  for (i = 0; i < count; ++i) {
    uint32_t bits;
    memcpy(&bits, &output[i], sizeof bits);
    host_print("result ");
    host_print_number(bits);
    host_print("\n");
  }
  host_print("arena ");
  host_print_number(used);
  host_print("\nstack ");
  host_print_number(fw_stack_used());
  host_print("\n");
  return kExitDone;
}
