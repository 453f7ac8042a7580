// SPDX-License-Identifier: MIT
// `make demo`: the main job on a digit model of this repository. Plans it, runs 100 digits, writes
// C, compiles that with cc, runs it and compares every output byte with the interpreter.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "compiler/driver/compile.h"
#include "compiler/driver/io/tensor_io.h"
#include "compiler/driver/session.h"
#include "compiler/driver/verbs/emit_model.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/import/import.h"

namespace {

using netkit::Bytes;
using netkit::Result;

constexpr size_t kDigits = 100;
constexpr size_t kSide = 28;
constexpr size_t kPixels = kSide * kSide;
constexpr size_t kIdxImageHeader = 16, kIdxLabelHeader = 8;
constexpr char kSource[] = NETKIT_SOURCE_DIR "/examples/demo/run_emitted.c";

struct Digits {
  Bytes images, labels;
  uint8_t pixel(size_t digit, size_t i) const {
    return static_cast<uint8_t>(images[kIdxImageHeader + digit * kPixels + i]);
  }
  int label(size_t digit) const { return static_cast<int>(labels[kIdxLabelHeader + digit]); }
};

Result<Digits> read_digits(const std::string& folder) {
  Digits digits;
  NK_ASSIGN(digits.images, netkit::read_model_file(folder + "/digits-images.idx3-ubyte"));
  NK_ASSIGN(digits.labels, netkit::read_model_file(folder + "/digits-labels.idx1-ubyte"));
  if (digits.images.size() < kIdxImageHeader + kDigits * kPixels ||
      digits.labels.size() < kIdxLabelHeader + kDigits) {
    return netkit::bad_input("fewer than 100 digits", folder);
  }
  return digits;
}

// The model's input: pixel / 255 in the model's own int8.
Result<Bytes> input_of(const Digits& digits, size_t digit, const netkit::TensorType& type) {
  Bytes bytes;
  for (size_t i = 0; i < kPixels; ++i) {
    NK_ASSIGN(const int64_t q,
              netkit::driver::quantise(digits.pixel(digit, i) / 255.0, type, "digit"));
    bytes.push_back(static_cast<std::byte>(q));
  }
  return bytes;
}

int answer_of(const std::byte* scores) {
  int best = 0;
  for (int i = 1; i < 10; ++i) {
    if (static_cast<int8_t>(scores[i]) > static_cast<int8_t>(scores[best])) best = i;
  }
  return best;
}

void draw(const Digits& digits, size_t digit, int answer) {
  constexpr char kShades[] = " .:-=+*#%@";
  for (size_t y = 0; y < kSide; y += 2) {
    std::string line = "  ";
    for (size_t x = 0; x < kSide; ++x) {
      const int sum = digits.pixel(digit, y * kSide + x) + digits.pixel(digit, (y + 1) * kSide + x);
      line += kShades[sum * 9 / 510];
    }
    fmt::print("{}{}\n", line, y == 14 ? fmt::format("   netkit says {}", answer) : "");
  }
}

void bar(size_t done) {
  if (isatty(STDERR_FILENO) == 0) return;
  fmt::print(stderr, "\r  running digits [{:<25}] {}/{}{}", std::string(done / 4, '#'), done,
             kDigits, done == kDigits ? "\n" : "");
}

void write_raw(const std::string& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

// Compiles and runs the emitted C; µs per inference.
Result<double> run_emitted(const std::string& work) {
  const char* cc = std::getenv("CC") != nullptr ? std::getenv("CC") : "cc";
  const std::string compile = fmt::format(
      "{0} -std=c99 -Wall -Wextra -Werror -O2 -I'{1}' '{2}' '{1}/digits.c' "
      "-o '{1}/run_emitted' -lm",
      cc, work, kSource);
  fmt::print("  {} -std=c99 -Wall -Wextra -Werror -O2 digits.c run_emitted.c\n", cc);
  if (std::system(compile.c_str()) != 0) {
    return netkit::fail(netkit::ErrorCode::kNo, "the emitted C did not compile", work);
  }
  const std::string run =
      fmt::format("'{0}/run_emitted' '{0}/in.bin' '{0}/out.bin' {1} > '{0}/us'", work, kDigits);
  if (std::system(run.c_str()) != 0) {
    return netkit::fail(netkit::ErrorCode::kNo, "the emitted C did not run", work);
  }
  double microseconds = 0;
  std::ifstream(work + "/us") >> microseconds;
  return microseconds;
}

struct Outcome {
  Bytes inputs, outputs;  // all digits, one after the other
  size_t right = 0;
};

Result<Outcome> run_interpreter(netkit::driver::Session& session, const Digits& digits) {
  Outcome outcome;
  for (size_t i = 0; i < kDigits; ++i) {
    NK_ASSIGN(const Bytes input, input_of(digits, i, session.inputs()[0].type));
    NK_ASSIGN(const auto outputs, session.run({input}));
    outcome.right += answer_of(outputs[0].data()) == digits.label(i) ? 1 : 0;
    outcome.inputs.insert(outcome.inputs.end(), input.begin(), input.end());
    outcome.outputs.insert(outcome.outputs.end(), outputs[0].begin(), outputs[0].end());
    bar(i + 1);
  }
  return outcome;
}

void print_table(const netkit::driver::EmitReport& report, const netkit::driver::Compilation& made,
                 size_t right, double microseconds) {
  fmt::print(
      "\n  arena          {:>9} B   inputs, outputs and scratch inside\n"
      "  lower bound    {:>9} B   {} in class {} (docs/cli.md, --class)\n"
      "  flash          {:>9} B   weights and parameters, kernels not counted\n"
      "  MACs           {:>9}     per inference\n"
      "  time           {:>9.1f} us  emitted C on this machine, measured\n"
      "  accuracy       {:>5} of {}   digits that training never saw\n\n",
      made.program.arena_bytes, made.program.lower_bound_bytes,
      made.program.proven_minimal ? "proven minimal" : "not proven", report.plan_class,
      report.weight_bytes + report.parameter_bytes, report.macs, microseconds, right, kDigits);
}

Result<void> demo(const std::string& models, const std::string& work) {
  const std::string model = models + "/digits_cnn_int8.tflite";
  std::error_code error;
  std::filesystem::create_directories(work, error);
  NK_ASSIGN(const Digits digits, read_digits(models));
  fmt::print("1. import and plan {}\n", model);
  const netkit::driver::CompileOptions options;
  NK_ASSIGN(const auto made, netkit::driver::compile_file(model, options));
  NK_ASSIGN(Bytes nk, netkit::write_nk(made.program));
  fmt::print("2. run {} digits in the interpreter\n", kDigits);
  NK_ASSIGN(auto session, netkit::driver::Session::from_nk(std::move(nk), model));
  NK_ASSIGN(const Outcome outcome, run_interpreter(session, digits));
  fmt::print("3. write C, compile and run it\n");
  netkit::driver::EmitOptions emit;
  emit.folder = work;
  emit.name = "digits";
  NK_ASSIGN(const auto report, netkit::driver::emit_model(model, options, emit));
  write_raw(work + "/in.bin", outcome.inputs);
  NK_ASSIGN(const double microseconds, run_emitted(work));
  fmt::print("4. compare every output byte\n");
  NK_ASSIGN(const Bytes emitted, netkit::read_model_file(work + "/out.bin"));
  if (emitted != outcome.outputs) {
    return netkit::fail(netkit::ErrorCode::kNo, "emitted C and interpreter differ", work);
  }
  print_table(report, made, outcome.right, microseconds);
  draw(digits, 0, answer_of(outcome.outputs.data()));
  fmt::print("\nnetkit demo: PASSED: {} digits, {} output bytes equal; the C is in {}\n", kDigits,
             emitted.size(), work);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: netkit_demo MODELS WORK\n", stderr);
    return 2;
  }
  const Result<void> result = demo(argv[1], argv[2]);
  if (result) return 0;
  fmt::print(stderr, "netkit demo: FAILED: {} ({})\n", result.error().message,
             result.error().where);
  return static_cast<int>(result.error().code);
}
