// SPDX-License-Identifier: MIT
#include "compiler/emit/c/c_slicer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/emit/c/c_chunks.h"
#include "compiler/emit/c/c_names.h"

namespace netkit::emit {
namespace {

struct Place {
  size_t file = 0, chunk = 0;
  auto operator<=>(const Place&) const = default;
};

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

// Word for word, `from` becomes `to`; a field of that name stays.
std::string renamed(std::string_view text, const std::string& from, const std::string& to) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const bool word = is_word(text[i]);
    size_t end = i + 1;
    while (word && end < text.size() && is_word(text[end])) ++end;
    const std::string_view token = text.substr(i, end - i);
    const bool field = out.ends_with('.') || out.ends_with("->");
    out += token == from && !field ? std::string_view(to) : token;
    i = end;
  }
  return out;
}

// Before the first function that is folded.
constexpr std::string_view kFoldedMacro = R"(#if defined(__GNUC__)
#define NK_FOLDED __attribute__((always_inline))
#else
#define NK_FOLDED
#endif

)";

// Does a function, whose head this is, take the parameters of a kernel or a part of them?
bool takes_parameters(std::string_view head) {
  return head.find("NK_KERNEL_ARGS") != std::string_view::npos ||
         head.find("_params*") != std::string_view::npos ||
         head.find("nk_spatial*") != std::string_view::npos;
}

class Slicer {
 public:
  Slicer(std::span<const SourceFile> files, bool make_static, bool fold)
      : make_static_(make_static), fold_(fold) {
    for (const SourceFile& file : files) {
      const size_t index = files_.size();
      files_.push_back(cut_into_chunks(file.text));
      if (file.path.ends_with(".h")) header_of_[file.path] = index;
      for (size_t i = 0; i < files_.back().chunks.size(); ++i) {
        const Chunk& chunk = files_.back().chunks[i];
        const bool linked = chunk.kind == ChunkKind::kFunction && !chunk.is_static;
        for (const std::string& name : chunk.defines) {
          local_[{index, name}].push_back({index, i});
          if (linked || file.path.ends_with(".h")) global_[name].push_back({index, i});
          if (linked) linked_[name].push_back({index, i});
        }
      }
    }
    for (size_t i = 0; i < files_.size(); ++i) {
      visible_.emplace_back();
      see(i, visible_.back());
    }
  }

  Result<Slice> run(const std::vector<std::string>& roots) {
    for (const std::string& root : roots) {
      const auto it = global_.find(root);
      if (it == global_.end()) {
        return bad_input(fmt::format("no kernel source defines '{}'", root));
      }
      for (const Place& place : it->second) take(place);
    }
    std::sort(out_.includes.begin(), out_.includes.end());
    if (fold_) out_.code.insert(0, kFoldedMacro);
    return std::move(out_);
  }

 private:
  // `file` and all that it includes, once each.
  void see(size_t file, std::vector<size_t>& seen) const {
    if (std::ranges::find(seen, file) != seen.end()) return;
    seen.push_back(file);
    for (const std::string& header : files_[file].headers) {
      if (const auto it = header_of_.find(header); it != header_of_.end()) see(it->second, seen);
    }
  }

  // What `name` means inside a file: its own declarations first, then those of the headers that it
  // includes, then functions with external linkage.
  const std::vector<Place>* find(size_t file, const std::string& name) const {
    for (const size_t seen : visible_[file]) {
      if (const auto it = local_.find({seen, name}); it != local_.end()) return &it->second;
    }
    if (const auto it = linked_.find(name); it != linked_.end()) return &it->second;
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
    if (chunk.kind == ChunkKind::kFunction) {
      out_.functions.push_back(chunk.defines[0]);
      if (make_static_ && !chunk.is_static) text.insert(chunk.code_at, "static ");
      if (fold_) fold(chunk.code_at, text);
    }
    std::vector<std::string> names = chunk.uses;
    names.insert(names.end(), chunk.defines.begin(), chunk.defines.end());
    const std::set<std::string> once(names.begin(), names.end());
    for (const std::string& name : once) {
      const auto* places = find(place.file, name);
      if (places == nullptr) continue;
      const auto it = renames_.find({places->front().file, name});
      if (it != renames_.end()) text = renamed(text, name, it->second);
    }
    for (const std::string& include : files_[place.file].includes) {
      if (wanted(include, chunk) && !contains(out_.includes, include)) {
        out_.includes.push_back(include);
      }
    }
    out_.code += text + "\n";
  }

  // `text` begins its code with "static". One that is kept apart on purpose stays so.
  static void fold(size_t code_at, std::string& text) {
    const std::string_view head =
        std::string_view(text).substr(code_at, text.find('{', code_at) - code_at);
    if (!takes_parameters(head) || head.find("NK_APART") != std::string_view::npos) return;
    constexpr std::string_view kStatic = "static ", kInline = "inline ";
    const bool is_inline = head.substr(kStatic.size()).starts_with(kInline);
    text.insert(code_at + kStatic.size() + (is_inline ? kInline.size() : 0),
                is_inline ? "NK_FOLDED " : "inline NK_FOLDED ");
  }

  // Two files may each have a static helper or macro of one name; the second is renamed.
  void claim(size_t file, const std::string& name) {
    const auto [it, fresh] = owner_.try_emplace(name, file);
    if (fresh || it->second == file) return;
    renames_[{file, name}] = fmt::format("{}_{}", name, file);
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
          "erfcf",    "floor",      "round",     "fabs"}},
        {"<string.h>", {"memcpy", "memset", "memmove", "memcmp"}},
    };
    const auto it = kFunctions.find(include);
    if (it == kFunctions.end()) return true;
    return std::ranges::any_of(it->second,
                               [&](const std::string& name) { return contains(chunk.uses, name); });
  }

  bool make_static_, fold_;
  std::vector<ChunkedFile> files_;
  std::map<std::string_view, size_t> header_of_;  // by path
  std::vector<std::vector<size_t>> visible_;      // per file: itself, then its headers
  std::map<std::pair<size_t, std::string>, std::vector<Place>> local_;
  std::map<std::string, std::vector<Place>> global_;  // what a root may be
  std::map<std::string, std::vector<Place>> linked_;  // functions with external linkage
  std::map<std::string, size_t> owner_;
  std::map<std::pair<size_t, std::string>, std::string> renames_;
  std::set<Place> taken_;
  Slice out_;
};

}  // namespace

Result<Slice> slice_sources(std::span<const SourceFile> files,
                            const std::vector<std::string>& roots, bool make_static, bool fold) {
  return Slicer(files, make_static, fold).run(roots);
}

}  // namespace netkit::emit
