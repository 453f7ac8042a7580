// SPDX-License-Identifier: MIT
// Schedule: the network as kernel calls, memory not yet decided. Program: with memory decided.
// Graph → [select] → Schedule → plan → Layout; Program is what emit and the runtime print and run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/op_def.h"

namespace netkit {

// A region of the arena that one or more graph tensors (views of each other) share.
struct Buffer {
  std::string name;  // of the first tensor in it
  int64_t bytes = 0;
  std::vector<TensorId> tensors;  // graph tensors that lie in it, all at offset 0
};

struct ScheduleArg {
  int buffer = -1;    // index into Schedule::buffers, or
  int constant = -1;  // index into Schedule::constants, or both -1: absent
};

struct ScheduleStep {
  std::string name;  // of the node
  const OpDef* op = nullptr;
  const KernelRow* row = nullptr;
  Bytes params;
  std::vector<ScheduleArg> inputs, outputs;
  std::vector<KernelMode> modes;  // the plain mode first
  std::vector<StepView> views;    // copies that need not be made
  uint64_t macs = 0;
  std::vector<std::string> refused_rows;  // "nk_conv2d_s8_m4: p->ic % 4 == 0", for inspect
};

struct Constant {
  std::string name;  // unique C identifier
  ConstData data;
  nk_dtype dtype = NK_INT8;  // of its elements; the emitted array has this type
  uint32_t alignment = 4;    // bytes, in flash
};

struct InOut {
  std::string name;  // the model's own
  TensorType type;   // in the model's own layout
  int buffer = -1;
};

// A buffer that keeps its place and content between runs.
struct ScheduleState {
  std::string name;
  int buffer = -1;
  int initial = -1;  // index into Schedule::constants: its bytes after a reset; -1: all 0
};

struct Schedule {
  std::vector<Buffer> buffers;
  std::vector<ScheduleStep> steps;
  std::vector<Constant> constants;  // equal bytes stand once
  std::vector<InOut> inputs, outputs;
  std::vector<ScheduleState> states;
  std::string target;  // row of the target table: "generic", "cortex-m4"
  std::string source, sha256;
};

}  // namespace netkit
