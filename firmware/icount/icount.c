/* SPDX-License-Identifier: MIT */
/* QEMU plugin: counts the instructions between the two marks of device/cpu.h, without the marks.
 * Use: -plugin libicount.so,out=FILE. FILE gets a line with a number per marked stretch, then
 * "total N". These are instructions that QEMU executed, not cycles. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "qemu_plugin.h"

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

typedef struct mark {
  const char* target; /* the start of QEMU's name of it */
  size_t bytes;
  uint32_t begin, end;
} mark;

static const mark kMarks[] = {
    {"arm", 2, 0x46d2, 0x46db},           /* mov r10, r10; mov r11, r11 */
    {"riscv", 4, 0x7a102013, 0x7a202013}, /* slti x0, x0, 0x7a1; … 0x7a2 */
};

static const mark* marks;
static uint64_t executed, at_begin;
static int begun;
static FILE* out;

static void on_begin(unsigned int cpu, void* user) {
  (void)cpu;
  (void)user;
  at_begin = executed;
  begun = 1;
}

/* The end mark has been added to `executed` by now, as the begin mark had been to `at_begin`. One
 * without a begin gives no line: the caller misses it. */
static void on_end(unsigned int cpu, void* user) {
  (void)cpu;
  (void)user;
  if (begun) fprintf(out, "%" PRIu64 "\n", executed - at_begin - 1);
  begun = 0;
}

static void on_translated(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); ++i) {
    struct qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(block, i);
    uint32_t code = 0;
    qemu_plugin_register_vcpu_insn_exec_inline(insn, QEMU_PLUGIN_INLINE_ADD_U64, &executed, 1);
    /* QEMU may take a Thumb mark at the end of a page for the first half of a longer instruction;
     * no longer one begins with a mark's bytes. */
    if (qemu_plugin_insn_size(insn) < marks->bytes) continue;
    memcpy(&code, qemu_plugin_insn_data(insn), marks->bytes); /* both are little-endian */
    if (code == marks->begin) {
      qemu_plugin_register_vcpu_insn_exec_cb(insn, on_begin, QEMU_PLUGIN_CB_NO_REGS, NULL);
    } else if (code == marks->end) {
      qemu_plugin_register_vcpu_insn_exec_cb(insn, on_end, QEMU_PLUGIN_CB_NO_REGS, NULL);
    }
  }
}

static void on_exit_of_qemu(qemu_plugin_id_t id, void* user) {
  (void)id;
  (void)user;
  fprintf(out, "total %" PRIu64 "\n", executed);
  fclose(out);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id,
                                                                const qemu_info_t* info, int argc,
                                                                char** argv) {
  for (size_t i = 0; i < sizeof kMarks / sizeof *kMarks; ++i) {
    if (strncmp(info->target_name, kMarks[i].target, strlen(kMarks[i].target)) == 0) {
      marks = &kMarks[i];
    }
  }
  for (int i = 0; i < argc; ++i) {
    if (strncmp(argv[i], "out=", 4) == 0 && out == NULL) out = fopen(argv[i] + 4, "w");
  }
  if (marks == NULL || out == NULL) {
    fprintf(stderr, "icount: unknown processor %s, or no writable out=FILE\n", info->target_name);
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translated);
  qemu_plugin_register_atexit_cb(id, on_exit_of_qemu, NULL);
  return 0;
}
