#include "text/expression.h"

namespace nestwright::text {

Expression Expression::parse(std::string_view text) {
  Program program = analyse(parse_source(std::string(text)));
  Canonical canonical = canonical_of(program);
  return {std::move(program), std::move(canonical)};
}

std::string Expression::str() const {
  std::string text = canonical_.text;
  for (const NamedSize& size : canonical_.sizes) text += " " + size.name + "=" + std::to_string(size.value);
  return text;
}

}  // namespace nestwright::text
