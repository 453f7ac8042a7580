// SPDX-License-Identifier: MIT
#include "forged_steps.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "compiler/driver/assemble.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/ir/text/text.h"
#include "compiler/plan/plan.h"
#include "compiler/select/select.h"
#include "compiler/select/target.h"
#include "runtime/executor.h"
#include "runtime/nk/crc32.h"

#if defined(__SANITIZE_ADDRESS__)
#define NK_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NK_ADDRESS_SANITIZER 1
#endif
#endif

namespace netkit::test {
namespace {

constexpr uint8_t kCanary = 0xC5;
constexpr size_t kFileAlignment = 64;
constexpr uint32_t kMostArenaBytes = 1u << 24;
constexpr uint32_t kUnknownKind = 99;

size_t guard_bytes([[maybe_unused]] size_t alignment) {
#ifdef NK_ADDRESS_SANITIZER
  return 0;
#else
  return std::max<size_t>(alignment, 4096);
#endif
}

template <typename T>
T& record_at(uint8_t* file, size_t at) {
  return *reinterpret_cast<T*>(file + at);
}

}  // namespace

GuardedBlock::GuardedBlock(size_t bytes, size_t alignment)
    : block_(nullptr), guard_(guard_bytes(alignment)), size_(bytes) {
  void* block = nullptr;
  const size_t least = std::max<size_t>(alignment, sizeof(void*));
  if (posix_memalign(&block, least, guard_ + bytes + guard_) != 0) std::abort();
  block_ = static_cast<uint8_t*>(block);
  std::memset(block_, kCanary, guard_);
  std::memset(block_ + guard_ + bytes, kCanary, guard_);
}

GuardedBlock::GuardedBlock(GuardedBlock&& other) noexcept
    : block_(std::exchange(other.block_, nullptr)), guard_(other.guard_), size_(other.size_) {}

GuardedBlock::~GuardedBlock() {
  std::free(block_);
}

bool GuardedBlock::guards_hold() const {
  for (size_t i = 0; i < guard_; ++i) {
    if (block_[i] != kCanary || block_[guard_ + size_ + i] != kCanary) return false;
  }
  return true;
}

ForgedStep::ForgedStep(const Bytes& nk, uint32_t index, std::string name)
    : name_(std::move(name)), original_(nk), file_(nk.size(), kFileAlignment) {
  std::memcpy(file_.data(), nk.data(), nk.size());
  NkView view;
  if (!view.open(file_.data(), file_.size()).ok()) std::abort();
  const nk_file_step* step = view.first_step();
  for (uint32_t i = 0; i < index; ++i) step = NkView::next_step(step);
  const size_t step_bytes =
      static_cast<size_t>(reinterpret_cast<const uint8_t*>(NkView::next_step(step)) -
                          reinterpret_cast<const uint8_t*>(step));
  // The step stands alone in its section; sections about the other steps become unknown ones.
  const size_t at = view.find_section(NK_SECTION_STEPS)->offset;
  std::memmove(file_.data() + at, step, step_bytes);
  for (uint32_t i = 0; i < view.section_count(); ++i) {
    auto& section = const_cast<nk_file_section&>(view.section(i));
    if (section.kind == NK_SECTION_STEPS) {
      section.count = 1;
      section.bytes = static_cast<uint32_t>(step_bytes);
    } else if (section.flags == 0) {
      section.kind = kUnknownKind;
    }
  }
  step = reinterpret_cast<const nk_file_step*>(file_.data() + at);
  kernel_id_ = step->kernel_id;
  const size_t params = view.find_section(NK_SECTION_PARAMS)->offset + step->params_offset;
  for (size_t k = 0; k < step->params_bytes / 4; ++k) words_.push_back(params + 4 * k);
  param_words_ = words_.size();
  for (size_t k = 0; k < step_bytes / 4; ++k) words_.push_back(at + 4 * k);
  words_.push_back(offsetof(nk_file_header, arena_bytes));
  words_.push_back(offsetof(nk_file_header, arena_alignment));
  const size_t constants = view.find_section(NK_SECTION_CONSTANTS)->offset;
  for (uint32_t a = 0; a < step->in_count; ++a) {
    const nk_file_arg& arg = NkView::args(step)[a];
    if (arg.place == NK_ARG_ABSENT || !(arg.place & NK_ARG_CONSTANT)) continue;
    for (size_t k = 0; k < arg.bytes / 4; ++k) {
      constants_.push_back(constants + (arg.place & ~NK_ARG_CONSTANT) + 4 * k);
    }
  }
  std::memcpy(original_.data(), file_.data(), original_.size());
}

uint32_t ForgedStep::read(size_t at) const {
  uint32_t value;
  std::memcpy(&value, file_.data() + at, sizeof value);
  return value;
}

void ForgedStep::write(size_t at, uint32_t value) {
  std::memcpy(file_.data() + at, &value, sizeof value);
}

void ForgedStep::restore() {
  std::memcpy(file_.data(), original_.data(), original_.size());
}

// The sections that the structural check reads; the header's place and table are as they were.
void ForgedStep::forge() {
  auto& header = record_at<nk_file_header>(file_.data(), 0);
  for (uint32_t i = 0; i < header.section_count; ++i) {
    auto& section =
        record_at<nk_file_section>(file_.data(), header.header_bytes + i * sizeof(nk_file_section));
    if (section.flags & NK_SECTION_CONTROL) {
      section.crc32 = crc32(file_.data() + section.offset, section.bytes);
    }
  }
  constexpr size_t kFirst = offsetof(nk_file_header, file_bytes);
  const size_t end = header.header_bytes + header.section_count * sizeof(nk_file_section);
  header.header_crc32 = crc32(file_.data() + kFirst, end - kFirst);
}

std::string ForgedStep::load_and_run(bool& accepted) {
  accepted = false;
  forge();
  const auto& header = record_at<nk_file_header>(file_.data(), 0);
  if (header.arena_bytes > kMostArenaBytes || header.arena_alignment > NK_FILE_MAX_ALIGN) return {};
  const bool aligned = (header.arena_alignment & (header.arena_alignment - 1)) == 0;
  GuardedBlock arena(header.arena_bytes, aligned ? header.arena_alignment : 16);
  uint32_t state = 0x2545F491;
  for (size_t i = 0; i < arena.size(); ++i) {
    state = state * 1664525u + 1013904223u;
    arena.data()[i] = static_cast<uint8_t>(state >> 24);
  }
  const Bytes before(reinterpret_cast<std::byte*>(file_.data()),
                     reinterpret_cast<std::byte*>(file_.data()) + file_.size());
  Executor executor;
  const auto start = std::chrono::steady_clock::now();
  const Fault fault = executor.load(file_.data(), file_.size(), arena.data(), arena.size(),
                                    all_kernels(), NK_CHECK_STRUCTURE);
  accepted = fault.ok();
  if (!accepted) return {};
  if (executor.run() != NK_STATUS_OK) return name_ + ": the run failed";
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  if (spent.count() > kMostSeconds) return fmt::format("{}: ran for {} s", name_, spent.count());
  if (!arena.guards_hold()) return name_ + ": written outside the arena";
  if (std::memcmp(before.data(), file_.data(), before.size()) != 0) return name_ + ": file written";
  return {};
}

std::vector<ForgedStep> steps_of(const Bytes& nk, const std::string& name) {
  GuardedBlock file(nk.size(), kFileAlignment);
  std::memcpy(file.data(), nk.data(), nk.size());
  NkView view;
  std::vector<ForgedStep> steps;
  if (!view.open(file.data(), file.size()).ok()) return steps;
  for (uint32_t i = 0; i < view.step_count(); ++i) {
    steps.emplace_back(nk, i, fmt::format("{} step {}", name, i));
  }
  return steps;
}

std::vector<ForgedStep> steps_of_text(const std::string& graph, const std::string& name,
                                      const char* target_name) {
  const auto fail = [&name](const Error& error) {
    fmt::print(stderr, "{}: {} {}\n", name, error.message, error.where);
    std::abort();
  };
  const auto parsed = parse_graph(graph);
  if (!parsed) fail(parsed.error());
  const Target& target = *find_target(target_name);
  const auto schedule = select(*parsed, target);
  if (!schedule) fail(schedule.error());
  plan::PlanOptions options;
  options.order_nodes = 2000;
  options.place_nodes = 2000;
  const auto layout = plan::plan(driver::to_problem(*schedule, target.arena_alignment), options);
  if (!layout) fail(layout.error());
  const auto nk = write_nk(driver::assemble(*schedule, *layout));
  if (!nk) fail(nk.error());
  return steps_of(*nk, name);
}

}  // namespace netkit::test
