/* SPDX-License-Identifier: MIT */
/* Component runtime: a .nk file from C; the class of 784 zeros. usage: runtime FILE.nk */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netkit.h"

int main(int argc, char** argv) {
  nk_program_t program;
  nk_program_tensor_t in, out;
  size_t bytes, arena_bytes, alignment;
  FILE* file = argc == 2 ? fopen(argv[1], "rb") : NULL;
  void* model = aligned_alloc(64, 1 << 20);
  void* arena = aligned_alloc(64, 1 << 20);
  if (file == NULL) return 2;
  bytes = fread(model, 1, 1 << 20, file);
  fclose(file);
  if (nk_program_need(model, bytes, &arena_bytes, &alignment) != NK_OK) return 3;
  if (nk_program_load(&program, model, bytes, arena, 1 << 20) != NK_OK) return 4;
  if (nk_program_input(&program, 0, &in) != NK_OK) return 5;
  if (nk_program_output(&program, 0, &out) != NK_OK) return 6;
  memset(in.data, 0, in.bytes);
  if (nk_program_run(&program) != NK_OK) return 7;
  printf("%s: class %u of %u\n", NK_VERSION_STRING,
         (unsigned)nk_argmax_i8((const int8_t*)out.data, (uint32_t)out.elements),
         (unsigned)out.elements);
  free(model);
  free(arena);
  return 0;
}
