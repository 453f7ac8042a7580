// SPDX-License-Identifier: MIT
#include "compiler/emit/c/c_slicer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "compiler/emit/c/c_chunks.h"

namespace netkit::emit {
namespace {

struct Place {
  size_t file = 0, chunk = 0;
  auto operator<=>(const Place&) const = default;
};

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// Word for word: `from` becomes `to`.
std::string renamed(std::string_view text, const std::string& from, const std::string& to) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const bool word = std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_';
    size_t end = i + 1;
    while (word && end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
      ++end;
    }
    const std::string_view token = text.substr(i, end - i);
    out += token == from ? std::string_view(to) : token;
    i = end;
  }
  return out;
}

class Slicer {
 public:
  Slicer(std::span<const SourceFile> files, bool make_static) : make_static_(make_static) {
    for (const SourceFile& file : files) {
      const size_t index = files_.size();
      files_.push_back(cut_into_chunks(file.text));
      const bool is_header = file.path.ends_with(".h");
      for (size_t i = 0; i < files_.back().chunks.size(); ++i) {
        const Chunk& chunk = files_.back().chunks[i];
        for (const std::string& name : chunk.defines) {
          local_[{index, name}].push_back({index, i});
          if (is_header || (chunk.kind == ChunkKind::kFunction && !chunk.is_static)) {
            global_[name].push_back({index, i});
          }
        }
      }
    }
  }

  Result<Slice> run(const std::vector<std::string>& roots) {
    for (const std::string& root : roots) {
      const auto it = global_.find(root);
      if (it == global_.end()) {
        return bad_input(fmt::format("no kernel source defines '{}'", root), "emit");
      }
      for (const Place& place : it->second) take(place);
    }
    std::sort(out_.includes.begin(), out_.includes.end());
    return std::move(out_);
  }

 private:
  // What `name` means inside a file: its own declarations first, then those of headers and
  // functions with external linkage.
  const std::vector<Place>* find(size_t file, const std::string& name) const {
    if (const auto it = local_.find({file, name}); it != local_.end()) return &it->second;
    if (const auto it = global_.find(name); it != global_.end()) return &it->second;
    return nullptr;
  }

  void take(const Place& place) {
    if (!taken_.insert(place).second) return;
    const Chunk& chunk = files_[place.file].chunks[place.chunk];
    for (const std::string& name : chunk.uses) {
      const auto* places = find(place.file, name);
      if (places == nullptr) continue;
      for (const Place& dependency : *places) take(dependency);
    }
    write(place, chunk);
  }

  void write(const Place& place, const Chunk& chunk) {
    std::string text = chunk.text;
    for (const std::string& name : chunk.defines) claim(place.file, name);
    for (const std::string& name : chunk.uses) {
      const auto it = renames_.find({place.file, name});
      if (it != renames_.end()) text = renamed(text, name, it->second);
    }
    if (chunk.kind == ChunkKind::kFunction) {
      out_.functions.push_back(chunk.defines[0]);
      if (make_static_ && !chunk.is_static) make_function_static(text, chunk.defines[0]);
    }
    for (const std::string& include : files_[place.file].includes) {
      if (wanted(include, chunk) && !contains(out_.includes, include)) {
        out_.includes.push_back(include);
      }
    }
    out_.code += text + "\n";
  }

  // Two files may each have a static helper or macro of one name; the second is renamed.
  void claim(size_t file, const std::string& name) {
    const auto [it, fresh] = owner_.try_emplace(name, file);
    if (fresh || it->second == file) return;
    renames_[{file, name}] = fmt::format("{}_{}", name, file);
  }

  static void make_function_static(std::string& text, const std::string& name) {
    const size_t paren = text.find(name + "(");
    const size_t line = text.rfind('\n', paren);
    text.insert(line == std::string::npos ? 0 : line + 1, "static ");
  }

  // A header with functions is included only where one of them is named.
  static bool wanted(const std::string& include, const Chunk& chunk) {
    static const std::map<std::string, std::vector<std::string>> kFunctions = {
        {"<math.h>",
         {"expf",     "logf",       "sqrtf",     "tanhf",  "erff",   "powf",     "fabsf",  "floorf",
          "ceilf",    "sinf",       "cosf",      "tanf",   "roundf", "rintf",    "log1pf", "expm1f",
          "fmodf",    "truncf",     "asinf",     "acosf",  "atanf",  "atan2f",   "sinhf",  "coshf",
          "asinhf",   "acoshf",     "atanhf",    "isnan",  "isinf",  "INFINITY", "NAN",    "lrintf",
          "lroundf",  "nearbyintf", "fmaxf",     "fminf",  "exp2f",  "cbrtf",    "ldexpf", "frexpf",
          "isfinite", "signbit",    "copysignf", "hypotf", "exp",    "log",      "sqrt",   "pow",
          "erfcf",
          "floor",    "round",      "fabs"}},
        {"<string.h>", {"memcpy", "memset", "memmove", "memcmp"}},
    };
    const auto it = kFunctions.find(include);
    if (it == kFunctions.end()) return true;
    return std::ranges::any_of(it->second,
                               [&](const std::string& name) { return contains(chunk.uses, name); });
  }

  bool make_static_;
  std::vector<ChunkedFile> files_;
  std::map<std::pair<size_t, std::string>, std::vector<Place>> local_;
  std::map<std::string, std::vector<Place>> global_;
  std::map<std::string, size_t> owner_;
  std::map<std::pair<size_t, std::string>, std::string> renames_;
  std::set<Place> taken_;
  Slice out_;
};

}  // namespace

Result<Slice> slice_sources(std::span<const SourceFile> files,
                            const std::vector<std::string>& roots, bool make_static) {
  return Slicer(files, make_static).run(roots);
}

}  // namespace netkit::emit
