/* SPDX-License-Identifier: MIT */
/* What a firmware's main does with an emitted model, here on the desktop: reads inputs from a
 * file, runs the model on each, writes the outputs. usage: run_emitted INPUTS OUTPUTS COUNT */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "digits.h"

int main(int argc, char** argv) {
  FILE* in = argc == 4 ? fopen(argv[1], "rb") : NULL;
  FILE* out = argc == 4 ? fopen(argv[2], "wb") : NULL;
  const int count = argc == 4 ? atoi(argv[3]) : 0;
  int8_t result[DIGITS_OUTPUT0_ELEMS];
  clock_t spent = 0;
  int i;
  if (in == NULL || out == NULL || count <= 0) return 2;
  for (i = 0; i < count; ++i) {
    /* Filled in place: passing the arena's own input copies nothing. */
    int8_t* x = digits_input0();
    clock_t start;
    if (fread(x, 1, DIGITS_INPUT0_ELEMS, in) != DIGITS_INPUT0_ELEMS) return 2;
    start = clock();
    if (digits_run(x, result) != 0) return 1;
    spent += clock() - start;
    if (fwrite(result, 1, sizeof result, out) != sizeof result) return 2;
  }
  printf("%.1f\n", 1e6 * (double)spent / CLOCKS_PER_SEC / count);
  fclose(in);
  return fclose(out) == 0 ? 0 : 2;
}
