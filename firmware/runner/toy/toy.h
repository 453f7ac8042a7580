/* SPDX-License-Identifier: MIT */
/* toy.h: written by hand in the shape that `netkit emit` gives a model. Two inputs, two outputs, a
 * state: out0[i] = in0[i] + in0[i + 1] + runs so far, out1[i] = sqrt(in1[i]). */
#ifndef NETKIT_TOY_H
#define NETKIT_TOY_H

#include <stdint.h>

#define TOY_ARENA_BYTES 64
#define TOY_ARENA_ALIGNMENT 16
#define TOY_WEIGHT_BYTES 4

/* input 0: bytes */
#define TOY_INPUT0_ELEMS 9
#define TOY_INPUT0_SCALE 0.5f
#define TOY_INPUT0_ZERO_POINT (-1)

/* input 1: floats */
#define TOY_INPUT1_ELEMS 3

/* output 0: words */
#define TOY_OUTPUT0_ELEMS 8

/* output 1: floats */
#define TOY_OUTPUT1_ELEMS 3

#ifdef __cplusplus
extern "C" {
#endif

#ifdef NETKIT_EXTERNAL_ARENA
extern unsigned char* toy_arena;
#endif

int8_t* toy_input0(void);
float* toy_input1(void);
int16_t* toy_output0(void);
float* toy_output1(void);

void toy_reset(void);
int toy_run(const int8_t* in0, const float* in1, int16_t* out0, float* out1);

#ifdef __cplusplus
}
#endif

#endif
