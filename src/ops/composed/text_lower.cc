// SPDX-License-Identifier: MIT
// ONNX TfIdfVectorizer over integers: every n-gram of the pool is compared with every place where
// one may stand; matches are counted.
#include <fmt/format.h>

#include <algorithm>

#include "ops/common/host/chain.h"
#include "ops/common/host/nd_layout.h"
#include "ops/composed/composed.h"

namespace netkit {
namespace {

constexpr int64_t kMostElems = int64_t{1} << 22;  // of the comparisons of one length of n-grams

struct Pool {
  std::vector<int64_t> values, starts, columns;  // starts: of the n-grams of each length, from 1 on
  std::vector<double> weights;
  int64_t shortest = 1, longest = 1, skips = 0, width = 0;
  std::string mode;

  int64_t end_of(int64_t length) const {
    return length < std::ssize(starts) ? starts[static_cast<size_t>(length)] : std::ssize(values);
  }
  int64_t start_of(int64_t length) const { return starts[static_cast<size_t>(length - 1)]; }
};

Result<Pool> pool_of(const ForeignNode& node) {
  const std::string where = place_of(node);
  Pool pool;
  pool.values = node.attrs.get_ints("pool_int64s");
  pool.starts = node.attrs.get_ints("ngram_counts");
  pool.columns = node.attrs.get_ints("ngram_indexes");
  if (const AttrValue* weights = node.attrs.find("weights")) {
    if (const auto* reals = std::get_if<std::vector<double>>(weights)) pool.weights = *reals;
  }
  pool.shortest = node.attrs.get_int("min_gram_length", 1);
  pool.longest = node.attrs.get_int("max_gram_length", 1);
  pool.skips = node.attrs.get_int("max_skip_count", 0);
  pool.mode = node.attrs.get_string("mode");
  if (node.attrs.has("pool_strings")) return bad_input("strings are not supported", where);
  if (pool.mode != "TF" && pool.mode != "IDF" && pool.mode != "TFIDF") {
    return bad_input(fmt::format("mode '{}' is unknown", pool.mode), where);
  }
  bool fits = pool.shortest >= 1 && pool.shortest <= pool.longest && pool.skips >= 0 &&
              pool.skips <= kMostElems && pool.longest <= std::ssize(pool.starts) &&
              (pool.weights.empty() || pool.weights.size() == pool.columns.size());
  int64_t grams = 0;
  for (int64_t n = 1; fits && n <= std::ssize(pool.starts); ++n) {
    const int64_t elems = pool.end_of(n) - pool.start_of(n);
    fits = pool.start_of(n) >= 0 && elems >= 0 && pool.end_of(n) <= std::ssize(pool.values) &&
           elems % n == 0;
    if (fits) grams += elems / n;
  }
  fits = fits && pool.starts[0] == 0 && grams == std::ssize(pool.columns);
  for (const int64_t column : pool.columns) {
    fits = fits && column >= 0 && column <= kMostElems;
    pool.width = std::max(pool.width, column + 1);
  }
  if (!fits) return bad_input("the pool of n-grams is not consistent", where);
  if (pool.width > kMostElems / std::max<int64_t>(grams, 1)) {
    return bad_input("a pool of that size is not supported", where);
  }
  return pool;
}

class Counting {
 public:
  Counting(LowerContext& context, const Pool& pool, TensorId rows, int64_t batch, int64_t count)
      : context_(context),
        chain_(context),
        pool_(pool),
        rows_(rows),
        batch_(batch),
        count_(count) {}

  // How often each n-gram of this length stands in each row: [batch, grams].
  Result<TensorId> of_length(int64_t n) {
    const int64_t grams = (pool_.end_of(n) - pool_.start_of(n)) / n;
    std::vector<int32_t> places;
    int64_t windows = 0;
    // Elements of an n-gram stand 1 to skips + 1 apart; a single one stands once.
    for (int64_t apart = 1; apart <= (n == 1 ? 1 : pool_.skips + 1); ++apart) {
      for (int64_t start = 0; start + (n - 1) * apart < count_; ++start, ++windows) {
        if (std::ssize(places) > kMostElems) return too_large();
        for (int64_t i = 0; i < n; ++i) places.push_back(static_cast<int32_t>(start + i * apart));
      }
    }
    if (batch_ * std::max<int64_t>(windows, 1) > kMostElems / (grams * n)) {
      return too_large();
    }
    const nk_dtype dtype = context_.type(rows_).dtype;
    std::vector<int64_t> values(pool_.values.begin() + pool_.start_of(n),
                                pool_.values.begin() + pool_.end_of(n));
    ConstData data = constant_of(values);
    if (dtype == NK_INT32) {
      std::vector<int32_t> narrow;
      for (const int64_t value : values) {
        if (value < INT32_MIN || value > INT32_MAX) return bad_input("an n-gram is out of range");
        narrow.push_back(static_cast<int32_t>(value));
      }
      data = constant_of(narrow);
    }
    const TensorId pool = context_.add_constant("ngrams", {dtype, {1, grams, 1, n}, {}}, *data);
    const TensorId at =
        context_.add_constant("places", {NK_INT32, {windows * n}, {}}, *constant_of(places));
    const TensorId seen =
        chain_.reshape(chain_.add("gather", {rows_, at}, axis(1)), {batch_, 1, windows, n});
    Attrs last = axes({3}), cast;
    cast.set("to", std::string("float32"));
    TensorId y = chain_.add("reduce_all", {chain_.add("equal", {seen, pool})}, std::move(last));
    y = chain_.add("reduce_sum", {chain_.add("cast", {y}, std::move(cast))}, axes({2}));
    if (chain_.error()) return std::unexpected(*chain_.error());
    return y;
  }

  // Counts of all n-grams in the order of the pool, each in its column of [batch, width].
  TensorId arranged(const std::vector<TensorId>& counts, int64_t skipped) {
    TensorId y = counts.size() == 1 ? counts[0] : chain_.add("concat", counts, axis(1));
    if (pool_.mode == "IDF") {
      y = chain_.add("minimum", {y, chain_.number(1.0f)});
    }
    const int64_t grams = chain_.error() ? 0 : context_.type(y).dims[1];
    std::vector<float> spread(static_cast<size_t>(grams * pool_.width), 0.0f);
    for (int64_t g = 0; g < grams; ++g) {
      const auto at = static_cast<size_t>(skipped + g);
      const bool weighs = pool_.mode != "TF" && !pool_.weights.empty();
      spread[static_cast<size_t>(g * pool_.width + pool_.columns[at])] =
          weighs ? static_cast<float>(pool_.weights[at]) : 1.0f;
    }
    const TensorId columns = context_.add_constant(
        "columns", {NK_FLOAT32, {grams, pool_.width}, {}}, *constant_of(spread));
    return chain_.add("matmul", {y, columns});
  }

  TensorId shaped(TensorId y, Dims dims) { return chain_.reshape(y, std::move(dims)); }
  const std::optional<Error>& error() const { return chain_.error(); }

 private:
  static std::unexpected<Error> too_large() {
    return bad_input("the pool and the input are too large together, which is not supported");
  }
  static Attrs axis(int64_t at) {
    Attrs attrs;
    attrs.set("axis", at);
    return attrs;
  }
  static Attrs axes(Dims at) {
    Attrs attrs;
    attrs.set("axes", std::move(at));
    attrs.set("keepdims", int64_t{0});
    return attrs;
  }

  LowerContext& context_;
  Chain chain_;
  const Pool& pool_;
  TensorId rows_;
  int64_t batch_, count_;
};

}  // namespace

Result<void> lower_tf_idf(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(const Pool pool, pool_of(node));
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const TensorType type = context.type(x);
  const size_t rank = type.dims.size();
  if ((type.dtype != NK_INT32 && type.dtype != NK_INT64) || rank < 1 || rank > 2) {
    return bad_input(fmt::format("input {} is not supported", type_text(type)), where);
  }
  const int64_t batch = rank == 2 ? type.dims[0] : 1, count = type.dims.back();
  NK_ASSIGN(const TensorId rows, reshape_to(context, x, {batch, count}));
  Counting counting(context, pool, rows, batch, count);
  std::vector<TensorId> counts;
  int64_t skipped = 0;  // n-grams that are shorter than asked for
  for (int64_t n = 1; n <= pool.longest; ++n) {
    const int64_t elems = pool.end_of(n) - pool.start_of(n);
    if (n < pool.shortest) skipped += elems / n;
    if (n < pool.shortest || elems == 0) continue;
    NK_ASSIGN(const TensorId made, counting.of_length(n));
    counts.push_back(made);
  }
  if (counts.empty()) return bad_input("the pool holds no n-gram of that length", where);
  Dims dims = rank == 2 ? Dims{batch, pool.width} : Dims{pool.width};
  const TensorId y = counting.shaped(counting.arranged(counts, skipped), std::move(dims));
  if (counting.error()) return std::unexpected(*counting.error());
  return context.bind(node, 0, y);
}

}  // namespace netkit
