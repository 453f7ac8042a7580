/* SPDX-License-Identifier: MIT */
/* Runs a model on every case of an input file and writes its outputs to another; the host compares.
 * Command line: PROGRAM INPUT OUTPUT CASES REPEAT KEEP_STATE. Before each run the arena is filled
 * with another pattern, the stack is painted, and the state is reset unless KEEP_STATE is 1. */
#include <stdint.h>

#include "host.h"
#include "model.h"
#include "probe.h"
#include "start.h"

typedef struct options {
  const char* input;
  const char* output;
  size_t cases, repeat, keep_state;
} options;

typedef struct measures {
  size_t runs, stack_bytes, arena_touched_bytes;
} measures;

static char command_line[96];
static const unsigned char kPatterns[4] = {0xa5, 0x5a, 0x00, 0xff};

static int complain(const char* what, int code) {
  host_print("netkit-firmware error=");
  host_print(what);
  host_print("\n");
  return code;
}

static size_t number_of(const char* text) {
  size_t value = 0;
  for (; *text >= '0' && *text <= '9'; ++text) value = value * 10 + (size_t)(*text - '0');
  return value;
}

static int read_options(options* to) {
  const char* words[6] = {"", "", "", "", "", ""};
  size_t count = 0;
  if (host_command_line(command_line, sizeof command_line) != 0) return 1;
  for (char* at = command_line; *at != 0 && count < 6;) {
    words[count++] = at;
    while (*at != 0 && *at != ' ') ++at;
    while (*at == ' ') *at++ = 0;
  }
  to->input = words[1];
  to->output = words[2];
  to->cases = number_of(words[3]);
  to->repeat = number_of(words[4]);
  to->keep_state = number_of(words[5]);
  return count == 6 ? 0 : 1;
}

static void fill(fw_buffer buffer, unsigned char value) {
  unsigned char* bytes = buffer.data;
  for (size_t i = 0; i < buffer.bytes; ++i) bytes[i] = value;
}

/* Everything around the arena still holds `value`. */
static int guards_hold(unsigned char value) {
  const fw_buffer guarded = fw_model_guarded();
  const unsigned char* bytes = guarded.data;
  const unsigned char* arena = fw_model_arena().data;
  const unsigned char* arena_end = arena + fw_model_arena().bytes;
  for (size_t i = 0; i < guarded.bytes; ++i) {
    const int inside = bytes + i >= arena && bytes + i < arena_end;
    if (!inside && bytes[i] != value) return 0;
  }
  return 1;
}

static size_t touched_bytes(unsigned char value) {
  const fw_buffer arena = fw_model_arena();
  const unsigned char* bytes = arena.data;
  size_t end = arena.bytes;
  while (end > 0 && bytes[end - 1] == value) --end;
  return end;
}

static int read_case(intptr_t file, size_t index) {
  size_t case_bytes = 0;
  for (size_t i = 0; i < fw_model_inputs(); ++i) case_bytes += fw_model_input(i).bytes;
  if (host_seek(file, index * case_bytes) != 0) return 1;
  for (size_t i = 0; i < fw_model_inputs(); ++i) {
    const fw_buffer input = fw_model_input(i);
    if (host_read(file, input.data, input.bytes) != 0) return 1;
  }
  return 0;
}

static int write_outputs(intptr_t file) {
  for (size_t i = 0; i < fw_model_outputs(); ++i) {
    const fw_buffer output = fw_model_output(i);
    if (host_write(file, output.data, output.bytes) != 0) return 1;
  }
  return 0;
}

static void keep_largest(size_t* largest, size_t value) {
  if (value > *largest) *largest = value;
}

static int run_once(const options* of, measures* m, intptr_t input, intptr_t output, size_t index) {
  const unsigned char pattern = kPatterns[m->runs % sizeof kPatterns];
  const int fresh = !of->keep_state || m->runs == 0;
  if (fresh) {
    fill(fw_model_guarded(), pattern);
    fill(fw_model_arena(), pattern);
    fw_model_reset();
  }
  if (read_case(input, index) != 0) return complain("input_file_is_too_short", kExitFiles);
  const int status = fw_model_run();
  if (fw_stack_overflowed()) return complain("stack_overflow", kExitModel);
  if (status != 0) return complain("run_returned_an_error", kExitModel);
  keep_largest(&m->stack_bytes, fw_stack_used());
  ++m->runs;
  if (fresh) {
    keep_largest(&m->arena_touched_bytes, touched_bytes(pattern));
    if (!guards_hold(pattern)) return complain("written_outside_the_arena", kExitModel);
  }
  return write_outputs(output) != 0 ? complain("cannot_write_output_file", kExitFiles) : kExitDone;
}

int fw_main(void) {
  options of;
  measures m = {0, 0, 0};
  if (read_options(&of) != 0) return complain("command_line", kExitFiles);
  const intptr_t input = host_open_to_read(of.input);
  const intptr_t output = host_open_to_write(of.output);
  if (input < 0 || output < 0) return complain("cannot_open_files", kExitFiles);
  fw_model_init();
  for (size_t index = 0; index < of.cases; ++index) {
    for (size_t again = 0; again < of.repeat; ++again) {
      const int code = run_once(&of, &m, input, output, index);
      if (code != kExitDone) return code;
    }
  }
  host_close(output);
  host_print("netkit-firmware runs=");
  host_print_number(m.runs);
  host_print(" stack_bytes=");
  host_print_number(m.stack_bytes);
  host_print(" arena_touched_bytes=");
  host_print_number(m.arena_touched_bytes);
  host_print("\n");
  return kExitDone;
}
