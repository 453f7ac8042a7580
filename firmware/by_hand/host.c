/* SPDX-License-Identifier: MIT */
/* The same network on this machine. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "by_hand.h"

static unsigned char memory[kMemoryBytes];

int main(void) {
  float output[kMostOutputs];
  size_t used = 0, count, i;
  memset(memory, 0x5C, sizeof memory);
  count = by_hand(memory, output, &used);
  for (i = 0; i < count; ++i) {
    uint32_t bits;
    memcpy(&bits, &output[i], sizeof bits);
    printf("result %u\n", (unsigned)bits);
  }
  printf("arena %zu\n", used);
  return count == 0;
}
