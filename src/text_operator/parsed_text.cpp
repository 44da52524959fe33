#include "text_operator/parsed_text.h"

#include <algorithm>
#include <utility>

namespace nestwright {

ParsedText::ParsedText(text::Expression expression)
    : given_(std::make_shared<const text::Expression>(std::move(expression))) {}

std::shared_ptr<const text::Expression> ParsedText::expression_of(const Workload& workload) const {
  const auto has_size = [](const text::NamedSize& size, const ParameterValue& parameter) {
    return parameter.name == size.name && parameter.value == std::to_string(size.value);
  };
  const std::vector<text::NamedSize>& sizes = given_->sizes();
  const bool is_given =
      std::equal(sizes.begin(), sizes.end(), workload.parameters.begin(), workload.parameters.end(), has_size);
  return is_given ? given_ : std::make_shared<const text::Expression>(text::Expression::parse(workload.str()));
}

}  // namespace nestwright
