// The parsed expression of a text operator, which its functions share: they get workloads, whose texts would have to be
// parsed again for each candidate.
// Thread rule: an immutable value.
#pragma once

#include <memory>

#include "templates/framework/workload.h"
#include "text/expression.h"

namespace nestwright {

class ParsedText {
 public:
  explicit ParsedText(text::Expression expression);

  /// As it was given.
  const text::Expression& given() const { return *given_; }
  /// With the workload's sizes, which may be others. Requires a workload of this text. Throws text::ExpressionError
  /// where the expression does not take the sizes.
  std::shared_ptr<const text::Expression> expression_of(const Workload& workload) const;

 private:
  std::shared_ptr<const text::Expression> given_;
};

}  // namespace nestwright
