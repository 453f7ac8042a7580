// SPDX-License-Identifier: MIT
// Result<T>: what every host phase returns. No exception crosses netkit code.
// Host only; the device half uses Status (status.h).
#pragma once

#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace netkit {

// Maps to the exit code of the command line (docs/cli.md).
enum class ErrorCode {
  kNo = 1,     // the answer is no: does not fit, differs, test failed
  kUsage = 2,  // wrong call: unknown verb, option or value
  kInput = 3,  // broken or unsupported input
};

struct Error {
  ErrorCode code = ErrorCode::kInput;
  std::string message;  // what is wrong, without a final full stop
  std::string where;    // file, node, operator; may be empty
  std::string hint;     // what to do; may be empty
  std::vector<std::string>
      items;  // each single finding where there are several (unsupported nodes)
};

template <typename T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string where = {},
                                   std::string hint = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(where), std::move(hint), {}});
}

inline std::unexpected<Error> bad_input(std::string message, std::string where = {},
                                        std::string hint = {}) {
  return fail(ErrorCode::kInput, std::move(message), std::move(where), std::move(hint));
}

}  // namespace netkit

#define NK_CONCAT_INNER(a, b) a##b
#define NK_CONCAT(a, b) NK_CONCAT_INNER(a, b)

// NK_TRY(expr): return the error of a Result<…> expression, else go on.
#define NK_TRY(expr)                                               \
  do {                                                             \
    if (auto nk_try_result = (expr); !nk_try_result.has_value()) { \
      return std::unexpected(std::move(nk_try_result.error()));    \
    }                                                              \
  } while (false)

// NK_ASSIGN(auto x, expr): x = the value of a Result<…> expression, or return its error.
#define NK_ASSIGN(lhs, expr) NK_ASSIGN_INNER(NK_CONCAT(nk_assign_, __LINE__), lhs, expr)
#define NK_ASSIGN_INNER(tmp, lhs, expr)                                 \
  auto tmp = (expr);                                                    \
  if (!tmp.has_value()) return std::unexpected(std::move(tmp.error())); \
  lhs = std::move(*tmp)
