// SPDX-License-Identifier: MIT
#include "compiler/emit/slice/slicer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "compiler/emit/slice/names.h"

namespace netkit::emit {
namespace {

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
  Slicer(const SourceIndex& index, bool make_static, bool fold)
      : index_(index), make_static_(make_static), fold_(fold) {}

  Result<Slice> run(const std::vector<std::string>& roots) {
    for (const std::string& root : roots) {
      const std::vector<Place>* places = index_.root(root);
      if (places == nullptr) {
        return bad_input(fmt::format("no kernel source defines '{}'", root));
      }
      for (const Place& place : *places) take(place);
    }
    std::sort(out_.includes.begin(), out_.includes.end());
    if (fold_) out_.code.insert(0, kFoldedMacro);
    return std::move(out_);
  }

 private:
  void take(const Place& place) {
    if (!taken_.insert(place).second) return;
    const Chunk& chunk = index_.chunk(place);
    for (const std::string& name : chunk.uses) {
      const auto* places = index_.find(place.file, name);
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
      const auto* places = index_.find(place.file, name);
      if (places == nullptr) continue;
      const auto it = renames_.find({places->front().file, name});
      if (it != renames_.end()) text = renamed(text, name, it->second);
    }
    for (const std::string& include : index_.includes(place.file)) {
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
          "erfcf",    "floor",      "round",     "fabs",   "fmod"}},
        {"<string.h>", {"memcpy", "memset", "memmove", "memcmp"}},
    };
    const auto it = kFunctions.find(include);
    if (it == kFunctions.end()) return true;
    return std::ranges::any_of(it->second,
                               [&](const std::string& name) { return contains(chunk.uses, name); });
  }

  const SourceIndex& index_;
  bool make_static_, fold_;
  std::map<std::string, size_t> owner_;
  std::map<std::pair<size_t, std::string>, std::string> renames_;
  std::set<Place> taken_;
  Slice out_;
};

}  // namespace

Result<Slice> slice_sources(const SourceIndex& index, const std::vector<std::string>& roots,
                            bool make_static, bool fold) {
  return Slicer(index, make_static, fold).run(roots);
}

}  // namespace netkit::emit
