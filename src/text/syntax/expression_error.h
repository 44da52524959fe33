// A refused expression text: a sentence with the column, and an excerpt with a caret under the character.
//
//   expression, column 25: expected an operator or ')', got ']'
//     C[i, j] = sum(k, A[i, k]] * B[k, j])
//                             ^
// Thread rule: exception objects are values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "nestwright/error.h"

namespace nestwright::text {

class ExpressionError : public UsageError {
 public:
  /// `at` is the offset of the character in `text`, or its size for the end.
  ExpressionError(std::string_view text, std::size_t at, const std::string& reason);

  /// From 1, in characters of the whole text.
  std::size_t column() const { return column_; }
  /// Two indented lines, each with its line break: the part of the text around the character, and a caret below it.
  const std::string& excerpt() const { return excerpt_; }

 private:
  std::size_t column_;
  std::string excerpt_;
};

}  // namespace nestwright::text
