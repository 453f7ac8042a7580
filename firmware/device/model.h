/* SPDX-License-Identifier: MIT */
/* The emitted model as the harness sees it. The runner writes the other side, model.c, from the
 * header that netkit emitted: names and types only, no logic of its own. */
#ifndef NETKIT_FIRMWARE_MODEL_H
#define NETKIT_FIRMWARE_MODEL_H

#include <stddef.h>

typedef struct fw_buffer {
  void* data;
  size_t bytes;
} fw_buffer;

/* Once, before all else: gives the model its arena where the arena is ours. */
void fw_model_init(void);

size_t fw_model_inputs(void);
size_t fw_model_outputs(void);
fw_buffer fw_model_input(size_t i);
fw_buffer fw_model_output(size_t i);

/* The arena, and the bytes around it that must stay as they were (empty: not ours to guard). */
fw_buffer fw_model_arena(void);
fw_buffer fw_model_guarded(void);

/* One inference between the marks of probe.h; the model's own return value. */
int fw_model_run(void);

/* The state as it was before the first run; nothing for a model without state. */
void fw_model_reset(void);

#endif
