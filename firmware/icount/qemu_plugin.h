/* SPDX-License-Identifier: MIT */
/* The few functions of QEMU's plugin interface (version 1, docs/devel/tcg-plugins.rst) that we
 * call. Debian ships QEMU without its header. */
#ifndef NETKIT_FIRMWARE_QEMU_PLUGIN_H
#define NETKIT_FIRMWARE_QEMU_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;   /* a translated block */
struct qemu_plugin_insn; /* one of its instructions */

/* The head of QEMU's structure; it continues. */
typedef struct qemu_info_t {
  const char* target_name; /* "arm", "riscv32", … */
} qemu_info_t;

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

typedef void (*qemu_plugin_translated)(qemu_plugin_id_t id, struct qemu_plugin_tb* block);
typedef void (*qemu_plugin_executed)(unsigned int cpu, void* user);
typedef void (*qemu_plugin_ended)(qemu_plugin_id_t id, void* user);

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, qemu_plugin_translated call);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn* insn,
                                            qemu_plugin_executed call,
                                            enum qemu_plugin_cb_flags flags, void* user);
void qemu_plugin_register_vcpu_insn_exec_inline(struct qemu_plugin_insn* insn,
                                                enum qemu_plugin_op op, void* counter,
                                                uint64_t step);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, qemu_plugin_ended call, void* user);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
struct qemu_plugin_insn* qemu_plugin_tb_get_insn(const struct qemu_plugin_tb* block, size_t i);
const void* qemu_plugin_insn_data(const struct qemu_plugin_insn* insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn* insn);

#endif
