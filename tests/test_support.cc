// SPDX-License-Identifier: MIT
#include "test_support.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "compiler/emit/c/c_data.h"
#include "compiler/emit/c/c_emitter.h"
#include "compiler/emit/output_files.h"
#include "compiler/import/shared_folder.h"

namespace netkit::test {
namespace {

namespace fs = std::filesystem;

// A main that reads cases from in.bin and writes outputs to out.bin.
std::string main_source(const Schedule& schedule) {
  std::string text = "#include <stdio.h>\n#include <string.h>\n#include \"net.h\"\n";
  std::string reads, args, writes, poison;
  // The second of two runs begins with the state of the first.
  const std::string keeps = schedule.states.empty()
                                ? ""
                                : "      static unsigned char state[NET_STATE_BYTES];\n"
                                  "      if (k == 0 ? net_save_state(state) : "
                                  "net_restore_state(state)) return 6;\n";
  for (size_t i = 0; i < schedule.inputs.size(); ++i) {
    text += fmt::format("static {} in{}[NET_INPUT{}_ELEMS + 1];\n",
                        emit::c_type(schedule.inputs[i].type.dtype), i, i);
    reads += fmt::format(
        "    if (fread(in{0}, sizeof in{0}[0], NET_INPUT{0}_ELEMS, f) != "
        "NET_INPUT{0}_ELEMS) return 3;\n",
        i);
    args += fmt::format("{}in{}", args.empty() ? "" : ", ", i);
  }
  for (size_t i = 0; i < schedule.outputs.size(); ++i) {
    text += fmt::format("static {} out{}[NET_OUTPUT{}_ELEMS + 1];\n",
                        emit::c_type(schedule.outputs[i].type.dtype), i, i);
    args += fmt::format("{}out{}", args.empty() ? "" : ", ", i);
    writes += fmt::format("    fwrite(out{0}, sizeof out{0}[0], NET_OUTPUT{0}_ELEMS, g);\n", i);
  }
  text +=
      "#ifdef NETKIT_EXTERNAL_ARENA\n"
      "static unsigned char memory[NET_ARENA_BYTES + NET_ARENA_ALIGNMENT];\n#endif\n"
      "int main(int argc, char** argv) {\n  int n = 0, i, k;\n  FILE *f, *g;\n"
      "  if (argc != 4 || sscanf(argv[1], \"%d\", &n) != 1) return 2;\n"
      "  f = fopen(argv[2], \"rb\");\n  g = fopen(argv[3], \"wb\");\n"
      "  if (f == NULL || g == NULL) return 2;\n"
      "#ifdef NETKIT_EXTERNAL_ARENA\n"
      "  memset(memory, 0xA5, sizeof memory);\n"
      "  net_arena = memory;\n"
      "  while (((size_t)net_arena & (NET_ARENA_ALIGNMENT - 1)) != 0) ++net_arena;\n#endif\n"
      "  for (i = 0; i < n; ++i) {\n" +
      reads + "    for (k = 0; k < 2; ++k) {\n" + keeps + "      if (net_run(" + args +
      ") != 0) return 4;\n    }\n" + writes +
      "  }\n  fclose(f);\n  return fclose(g) == 0 ? 0 : 5;\n}\n";
  return text;
}

int64_t port_bytes(const InOut& port) {
  return byte_count(port.type.dtype, port.type.dims).value_or(0);
}

}  // namespace

std::optional<std::string> shared_folder() {
  const auto folder = netkit::shared_folder();
  if (!folder) return std::nullopt;
  return folder->string();
}

Bytes read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << path;
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return Bytes(begin, begin + text.size());
}

std::string work_folder(const std::string& name) {
  const char* shard = std::getenv("GTEST_SHARD_INDEX");  // parts of a program run side by side
  const std::string folder =
      fmt::format("{}/work{}/{}", NETKIT_BINARY_DIR, shard ? shard : "", name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

std::vector<Bytes> run_emitted_c(const Program& program, const std::string& folder,
                                 const std::vector<Bytes>& cases, const std::string& flags) {
  auto files = emit::emit_c(program, {"net", true});
  EXPECT_TRUE(files.has_value()) << files.error().message;
  if (!files) return {};
  files->push_back({"main.c", main_source(program.schedule)});
  const Bytes all = joined(cases);
  files->push_back({"in.bin", {reinterpret_cast<const char*>(all.data()), all.size()}});
  EXPECT_TRUE(emit::write_files(folder, *files).has_value());
  const std::string compile = fmt::format(
      "cc {0} -Wall -Wextra -Werror '{1}/net.c' '{1}/main.c' -o '{1}/net' -lm", flags, folder);
  EXPECT_EQ(std::system(compile.c_str()), 0) << compile;
  const std::string run =
      fmt::format("'{0}/net' {1} '{0}/in.bin' '{0}/out.bin'", folder, cases.size());
  EXPECT_EQ(std::system(run.c_str()), 0) << run;
  const Bytes out = read_bytes(folder + "/out.bin");
  int64_t case_bytes = 0;
  for (const InOut& port : program.schedule.outputs) case_bytes += port_bytes(port);
  EXPECT_EQ(out.size(), static_cast<size_t>(case_bytes) * cases.size());
  std::vector<Bytes> results;
  for (size_t at = 0; at + static_cast<size_t>(case_bytes) <= out.size() && case_bytes > 0;
       at += static_cast<size_t>(case_bytes)) {
    const auto begin = out.begin() + static_cast<std::ptrdiff_t>(at);
    results.emplace_back(begin, begin + case_bytes);
  }
  return results;
}

std::vector<Bytes> cut_to_ports(const Bytes& bytes, const std::vector<InOut>& ports) {
  std::vector<Bytes> pieces;
  auto at = bytes.begin();
  for (const InOut& port : ports) {
    const auto size = static_cast<std::ptrdiff_t>(port_bytes(port));
    if (bytes.end() - at < size) break;
    pieces.emplace_back(at, at + size);
    at += size;
  }
  EXPECT_TRUE(at == bytes.end() && pieces.size() == ports.size());
  return pieces;
}

Bytes joined(const std::vector<Bytes>& pieces) {
  Bytes all;
  for (const Bytes& piece : pieces) all.insert(all.end(), piece.begin(), piece.end());
  return all;
}

}  // namespace netkit::test
