// SPDX-License-Identifier: MIT
// ONNX Einsum: operands are combined from the left, each time over the axes that nothing behind
// needs any more.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "ops/common/host/chain.h"
#include "ops/common/host/nd_layout.h"
#include "ops/composed/composed.h"

namespace netkit {
namespace {

// Axes by label: letters as their code; those of "..." from kEllipsis down, the last one first.
using Labels = std::vector<int>;
constexpr int kEllipsis = -1;

struct Term {
  TensorId tensor;
  Labels labels;  // as many as the tensor has axes
};

bool has(const Labels& labels, int label) {
  return std::ranges::find(labels, label) != labels.end();
}

// "ij...": `hidden` axes stand for the dots. An error for what is no letter.
Result<Labels> labels_of(std::string_view text, size_t hidden, const std::string& where) {
  Labels labels;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 3) == "...") {
      for (size_t k = hidden; k > 0; --k) labels.push_back(kEllipsis - static_cast<int>(k - 1));
      i += 2;
    } else if ((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z')) {
      labels.push_back(text[i]);
    } else {
      return bad_input(fmt::format("the equation has '{}'", text[i]), where);
    }
  }
  return labels;
}

struct Equation {
  std::vector<std::string> inputs;
  std::optional<std::string> output;
};

Equation split(std::string text) {
  std::erase(text, ' ');
  Equation equation;
  if (const size_t arrow = text.find("->"); arrow != std::string::npos) {
    equation.output = text.substr(arrow + 2);
    text.resize(arrow);
  }
  equation.inputs.emplace_back();
  for (const char c : text) {
    if (c == ',') {
      equation.inputs.emplace_back();
    } else {
      equation.inputs.back() += c;
    }
  }
  return equation;
}

// Without "->": the dots, then the letters that stand once, in the order of the alphabet.
Labels implied_output(const std::vector<Term>& terms) {
  std::map<int, int> count;
  for (const Term& term : terms) {
    for (const int label : term.labels) ++count[label];
  }
  Labels output;
  for (const auto& [label, n] : count) {
    if (label < 0 || n == 1) output.push_back(label);
  }
  return output;
}

// Builds the nodes; sizes of all labels are known.
class Einsum {
 public:
  Einsum(LowerContext& context, std::map<int, int64_t> sizes)
      : context_(context), chain_(context), sizes_(std::move(sizes)) {}

  // A label that stands twice: the diagonal of its axes.
  Term without_repeats(Term term) {
    for (size_t i = 0; i < term.labels.size(); ++i) {
      const auto again = std::find(term.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                   term.labels.end(), term.labels[i]);
      if (again == term.labels.end()) continue;
      const int label = term.labels[i];
      Labels rest = term.labels;
      rest.erase(rest.begin() + (again - term.labels.begin()));
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      std::vector<int64_t> perm;
      for (size_t a = 0; a < term.labels.size(); ++a) {
        if (a != i && term.labels.begin() + static_cast<std::ptrdiff_t>(a) != again) {
          perm.push_back(static_cast<int64_t>(a));
        }
      }
      perm.push_back(static_cast<int64_t>(i));
      perm.push_back(again - term.labels.begin());
      const int64_t n = sizes_.at(label);
      Dims dims = dims_of(rest);
      dims.push_back(n * n);
      std::vector<int64_t> places;
      for (int64_t k = 0; k < n; ++k) places.push_back(k * (n + 1));
      const TensorId diagonal =
          context_.add_constant("diagonal", {NK_INT64, {n}, {}}, *constant_of(places));
      Attrs attrs;
      attrs.set("axis", static_cast<int64_t>(rest.size()));
      term.tensor = chain_.add(
          "gather", {chain_.reshape(chain_.transpose(term.tensor, perm), dims), diagonal}, attrs);
      rest.push_back(label);
      term.labels = std::move(rest);
      i = static_cast<size_t>(-1);  // from the start: positions have changed
    }
    return term;
  }

  // Labels that are not in `keep` are summed away.
  Term summed(Term term, const Labels& keep) {
    Attrs attrs;
    Dims axes;
    Labels left;
    for (size_t i = 0; i < term.labels.size(); ++i) {
      if (has(keep, term.labels[i])) {
        left.push_back(term.labels[i]);
      } else {
        axes.push_back(static_cast<int64_t>(i));
      }
    }
    if (axes.empty()) return term;
    attrs.set("axes", std::move(axes));
    attrs.set("keepdims", int64_t{0});
    return {chain_.add("reduce_sum", {term.tensor}, std::move(attrs)), std::move(left)};
  }

  // a times b, summed over what is not in `keep`.
  Term product(Term a, Term b, const Labels& keep) {
    Labels needed_a = keep, needed_b = keep;
    needed_a.insert(needed_a.end(), b.labels.begin(), b.labels.end());
    needed_b.insert(needed_b.end(), a.labels.begin(), a.labels.end());
    a = summed(std::move(a), needed_a);
    b = summed(std::move(b), needed_b);
    Labels both, over, only_a, only_b;
    for (const int label : a.labels) {
      (!has(b.labels, label) ? only_a : has(keep, label) ? both : over).push_back(label);
    }
    for (const int label : b.labels) {
      if (!has(a.labels, label)) only_b.push_back(label);
    }
    const bool failed = chain_.error().has_value();
    if (!failed && !over.empty() && context_.type(a.tensor).dtype == NK_FLOAT32) {
      return matrices(a, b, {both, only_a, over, only_b});
    }
    Labels all = both;
    for (const Labels* more : {&only_a, &only_b, &over}) {
      all.insert(all.end(), more->begin(), more->end());
    }
    const TensorId y = chain_.add("mul", {spread(a, all), spread(b, all)});
    return summed({y, all}, keep);
  }

  TensorId in_order(const Term& term, const Labels& order) {
    std::vector<int64_t> perm;
    for (const int label : order) {
      perm.push_back(std::ranges::find(term.labels, label) - term.labels.begin());
    }
    return chain_.transpose(term.tensor, std::move(perm));
  }

  const std::optional<Error>& error() const { return chain_.error(); }

 private:
  struct Parts {
    Labels both, rows, over, columns;
  };

  Dims dims_of(const Labels& labels) const {
    Dims dims;
    for (const int label : labels) dims.push_back(sizes_.at(label));
    return dims;
  }
  int64_t count_of(const Labels& labels) const {
    const Dims dims = dims_of(labels);
    return product_of(dims, 0, dims.size());
  }

  // The axes of `all` in its order, those that the term does not have as ones.
  TensorId spread(const Term& term, const Labels& all) {
    Labels order;
    Dims dims;
    for (const int label : all) {
      const bool own = has(term.labels, label);
      if (own) order.push_back(label);
      dims.push_back(own ? sizes_.at(label) : 1);
    }
    return chain_.reshape(in_order(term, order), std::move(dims));
  }

  TensorId stack(const Term& term, const Labels& both, const Labels& rows, const Labels& columns) {
    Labels order = both;
    order.insert(order.end(), rows.begin(), rows.end());
    order.insert(order.end(), columns.begin(), columns.end());
    return chain_.reshape(in_order(term, order),
                          {count_of(both), count_of(rows), count_of(columns)});
  }

  Term matrices(const Term& a, const Term& b, const Parts& p) {
    const TensorId y = chain_.add(
        "matmul", {stack(a, p.both, p.rows, p.over), stack(b, p.both, p.over, p.columns)});
    Labels labels = p.both;
    labels.insert(labels.end(), p.rows.begin(), p.rows.end());
    labels.insert(labels.end(), p.columns.begin(), p.columns.end());
    return {chain_.reshape(y, dims_of(labels)), labels};
  }

  LowerContext& context_;
  Chain chain_;
  std::map<int, int64_t> sizes_;
};

Result<std::vector<Term>> terms_of(const ForeignNode& node, LowerContext& context,
                                   const Equation& equation) {
  const std::string where = place_of(node);
  if (equation.inputs.size() != node.inputs.size()) {
    return bad_input(fmt::format("the equation has {} operands, the node {}",
                                 equation.inputs.size(), node.inputs.size()),
                     where);
  }
  std::vector<Term> terms;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    NK_ASSIGN(const TensorId x, need_foreign_input(context, node, i));
    const std::string& text = equation.inputs[i];
    const size_t rank = context.type(x).dims.size();
    const bool dots = text.find("...") != std::string::npos;
    const size_t letters = dots ? text.size() - 3 : text.size();
    if (letters > rank || (!dots && letters != rank)) {
      return bad_input(
          fmt::format("'{}' does not fit shape {}", text, dims_text(context.type(x).dims)), where);
    }
    NK_ASSIGN(Labels labels, labels_of(text, rank - letters, where));
    terms.push_back({x, std::move(labels)});
  }
  return terms;
}

// Size of every label. Axes of one element beside others of the same label are refused.
Result<std::map<int, int64_t>> sizes_of(const std::vector<Term>& terms, const LowerContext& context,
                                        const std::string& where) {
  std::map<int, int64_t> sizes;
  for (const Term& term : terms) {
    for (size_t a = 0; a < term.labels.size(); ++a) {
      const int64_t n = context.type(term.tensor).dims[a];
      if (sizes.emplace(term.labels[a], n).first->second != n) {
        return bad_input("axes of one label that differ in size are not supported", where);
      }
    }
  }
  return sizes;
}

}  // namespace

Result<void> lower_einsum(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  const Equation equation = split(node.attrs.get_string("equation"));
  NK_ASSIGN(std::vector<Term> terms, terms_of(node, context, equation));
  NK_ASSIGN(auto sizes, sizes_of(terms, context, where));
  Labels output = implied_output(terms);
  if (equation.output) {
    const auto hidden = std::ranges::count_if(sizes, [](const auto& s) { return s.first < 0; });
    NK_ASSIGN(output, labels_of(*equation.output, static_cast<size_t>(hidden), where));
  }
  for (const int label : output) {
    if (sizes.contains(label) && std::ranges::count(output, label) == 1) continue;
    return bad_input(
        fmt::format("the output '{}' does not fit the operands", equation.output.value_or("")),
        where);
  }
  Einsum einsum(context, std::move(sizes));
  for (Term& term : terms) term = einsum.without_repeats(std::move(term));
  Term y = std::move(terms[0]);
  for (size_t i = 1; i < terms.size(); ++i) {
    Labels keep = output;
    for (size_t k = i + 1; k < terms.size(); ++k) {
      keep.insert(keep.end(), terms[k].labels.begin(), terms[k].labels.end());
    }
    y = einsum.product(std::move(y), std::move(terms[i]), keep);
  }
  y = einsum.summed(std::move(y), output);
  const TensorId ordered = einsum.in_order(y, output);
  if (einsum.error()) return std::unexpected(*einsum.error());
  return context.bind(node, 0, ordered);
}

}  // namespace netkit
