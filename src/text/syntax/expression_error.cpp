#include "text/syntax/expression_error.h"

#include <algorithm>

namespace nestwright::text {
namespace {

constexpr std::size_t kShownBefore = 60, kShownAfter = 30;  // characters of a long text around the caret

std::string excerpt_of(std::string_view text, std::size_t at) {
  const std::size_t begin = at > kShownBefore ? at - kShownBefore : 0;
  std::string shown(text.substr(begin, at - begin + kShownAfter));
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';  // a line break or a tab would displace the caret
  }
  const std::string cut = begin > 0 ? "..." : "";
  return "  " + cut + shown + "\n  " + std::string(cut.size() + at - begin, ' ') + "^\n";
}

}  // namespace

ExpressionError::ExpressionError(std::string_view text, std::size_t at, const std::string& reason)
    : UsageError("expression, column " + std::to_string(at + 1) + ": " + reason),
      column_(at + 1),
      excerpt_(excerpt_of(text, std::min(at, text.size()))) {}

}  // namespace nestwright::text
