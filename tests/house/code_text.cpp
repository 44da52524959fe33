#include "tests/house/code_text.h"

#include <algorithm>
#include <cctype>

namespace nestwright::house {
namespace {

class Blanker {
 public:
  Blanker(std::string_view text, Strings strings) : out_(text), strings_(strings) {}

  std::string run() {
    for (std::size_t i = 0; i < out_.size();) i = after(i);
    return std::move(out_);
  }

 private:
  /// Blanks what begins at `i`, if it is not code, and returns where the next begins.
  std::size_t after(std::size_t i) {
    if (out_.compare(i, 2, "//") == 0) return blank(i, out_.find('\n', i));
    if (out_.compare(i, 2, "/*") == 0) return blank_until("*/", i, i + 2);
    const bool follows_word = i > 0 && std::isalnum(static_cast<unsigned char>(out_[i - 1])) != 0;
    if (out_.compare(i, 2, "R\"") == 0 && !follows_word) {
      const std::size_t open = std::min(out_.find('(', i), out_.size());
      return blank_until(")" + out_.substr(i + 2, open - i - 2) + "\"", i, open);
    }
    const bool is_separator = out_[i] == '\'' && follows_word;  // of digits
    return (out_[i] == '"' || out_[i] == '\'') && !is_separator ? after_string(i) : i + 1;
  }

  std::size_t after_string(std::size_t open) {
    std::size_t close = open + 1;
    while (close < out_.size() && out_[close] != out_[open] && out_[close] != '\n')
      close += out_[close] == '\\' ? 2 : 1;
    if (strings_ == Strings::kBlank) blank(open + 1, close);
    return close + 1;
  }

  std::size_t blank_until(const std::string& end, std::size_t from, std::size_t search_from) {
    const std::size_t at = out_.find(end, search_from);
    return blank(from, at == std::string::npos ? at : at + end.size());
  }

  std::size_t blank(std::size_t from, std::size_t to) {
    to = std::min(to, out_.size());
    for (std::size_t i = from; i < to; ++i) {
      if (out_[i] != '\n') out_[i] = ' ';
    }
    return to;
  }

  std::string out_;
  Strings strings_;
};

}  // namespace

std::string code_of(std::string_view text, Strings strings) { return Blanker(text, strings).run(); }

}  // namespace nestwright::house
