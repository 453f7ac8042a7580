// SPDX-License-Identifier: MIT
// Table of the offset solver over CSV buffer lists: instance, buffers, height, bound, proven,
// seconds of processor time, nodes. Usage:
//   bench_plan_offsets [--nodes N] [--capacity BYTES] [FILE.csv|FOLDER ...]
// without a path: the sets in $NETKIT_SHARED/data (default ../shared).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "compiler/plan/io/buffer_list_csv.h"

namespace {

namespace fs = std::filesystem;

struct Options {
  uint64_t nodes = netkit::plan::PlacementProblem{}.node_budget;
  std::optional<int64_t> capacity;
  std::vector<fs::path> files;
};

void add(const fs::path& path, std::vector<fs::path>* files) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) {
    files->push_back(path);
    return;
  }
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(path, failed)) {
    if (entry.path().extension() == ".csv") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  files->insert(files->end(), found.begin(), found.end());
}

Options parse(int argc, char** argv) {
  Options options;
  bool given = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--nodes" && i + 1 < argc) {
      options.nodes = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--capacity" && i + 1 < argc) {
      options.capacity = std::strtoll(argv[++i], nullptr, 10);
    } else {
      add(word, &options.files);
      given = true;
    }
  }
  if (!given) {
    const char* shared = std::getenv("NETKIT_SHARED");
    const fs::path data = fs::path(shared != nullptr ? shared : "../shared") / "data";
    for (const char* set : {"minimalloc", "dsa-idealloc"}) add(data / set, &options.files);
  }
  return options;
}

// False when the file is broken or the placement is not valid.
bool measure(const fs::path& file, const Options& options) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(stream)), {});
  auto list = netkit::plan::read_buffer_list(text, file.string());
  if (!list) {
    std::printf("%s: %s\n", list.error().where.c_str(), list.error().message.c_str());
    return false;
  }
  list->problem.node_budget = options.nodes;
  list->problem.capacity = options.capacity;
  if (options.capacity) list->problem.enough_bytes = options.capacity;
  const std::clock_t start = std::clock();
  const auto placed = netkit::plan::place(list->problem);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (!placed) {
    std::printf("%s: %s\n", file.c_str(), placed.error().message.c_str());
    return false;
  }
  const bool valid = placed->offsets.empty() ||
                     netkit::plan::check_placement(list->problem, placed->offsets).has_value();
  const double bound = static_cast<double>(std::max<int64_t>(1, placed->lower_bound_bytes));
  const double gap = 100.0 * (static_cast<double>(placed->height_bytes) / bound - 1.0);
  std::printf("%-20s %7zu %14lld %14lld %8.4f%% %-6s %9.3f %10llu%s\n", file.filename().c_str(),
              list->ids.size(), static_cast<long long>(placed->height_bytes),
              static_cast<long long>(placed->lower_bound_bytes), std::max(0.0, gap),
              placed->proven ? "yes" : "no", seconds,
              static_cast<unsigned long long>(placed->nodes), valid ? "" : " INVALID");
  std::fflush(stdout);
  return valid;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  std::printf("%-20s %7s %14s %14s %9s %-6s %9s %10s\n", "instance", "buffers", "height", "bound",
              "gap", "proven", "seconds", "nodes");
  bool ok = !options.files.empty();
  for (const fs::path& file : options.files) ok = measure(file, options) && ok;
  return ok ? 0 : 1;
}
