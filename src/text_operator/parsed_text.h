// The parsed expression of a text operator, shared by its functions: they receive workloads, whose texts would
// otherwise be parsed again for each candidate.
// Thread rule: an immutable value.
#pragma once

#include <memory>

#include "nestwright/workload.h"
#include "text/expression.h"

namespace nestwright {

class ParsedText {
 public:
  explicit ParsedText(text::Expression expression);

  /// As given, with its own sizes.
  const text::Expression& given() const { return *given_; }
  /// With the workload's sizes, which may differ. Requires a workload of this text. Throws text::ExpressionError if the
  /// expression does not accept the sizes.
  std::shared_ptr<const text::Expression> expression_of(const Workload& workload) const;

 private:
  std::shared_ptr<const text::Expression> given_;
};

}  // namespace nestwright
