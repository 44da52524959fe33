#include "tests/house/functions.h"

#include <algorithm>
#include <regex>

#include "tests/house/code_text.h"

namespace nestwright::house {
namespace {

enum class Braces { kScope, kBlock, kValues };

/// Blanks the lines of preprocessor directives. Keeps newlines.
std::string without_directives(std::string code) {
  bool inside = false;
  for (std::size_t begin = 0; begin < code.size();) {
    const std::size_t end = std::min(code.find('\n', begin), code.size());
    const std::size_t first = code.find_first_not_of(' ', begin);
    const bool continues = end > begin && code[end - 1] == '\\';
    if (inside || (first < end && code[first] == '#')) {
      std::fill(code.begin() + static_cast<std::ptrdiff_t>(begin), code.begin() + static_cast<std::ptrdiff_t>(end),
                ' ');
      inside = continues;
    }
    begin = end + 1;
  }
  return code;
}

/// Returns what a brace opens. `head` is the text of its statement before it.
Braces kind_of(std::string head, Braces outer) {
  static const std::regex kScope(
      R"(^ *((public|private|protected): *)?(template <.*> *)?((inline|static|const|constexpr|typedef) )*)"
      R"((namespace|class|struct|union|enum|extern "[^"]*")[^=]*[^=) ] $)"),
      kBlock(R"((\)( (const|mutable|noexcept|override|final|&&?|[A-Z_]{3,}))*|\]|\}|\b(else|do|try)|-> [^;{}=]+) $)"
             R"(|^ *(case\b.*|default): $)");
  std::replace(head.begin(), head.end(), '\n', ' ');
  const bool is_blank = head.find_first_not_of(' ') == head.npos;
  if (is_blank) return outer == Braces::kBlock ? Braces::kBlock : Braces::kValues;
  if (std::regex_search(head, kScope)) return Braces::kScope;
  return std::regex_search(head, kBlock) ? Braces::kBlock : Braces::kValues;
}

/// Reads code from left to right, with a stack of the braces that are open.
class Reader {
 public:
  explicit Reader(const std::string& code) : code_(code) {}

  std::vector<FunctionSize> run() {
    for (at_ = 0; at_ < code_.size(); ++at_) {
      if (code_[at_] == '\n') ++line_;
      if (code_[at_] == ';') head_ = at_ + 1;
      if (code_[at_] == '{') open();
      if (code_[at_] == '}' && !open_.empty()) close();
    }
    return std::move(functions_);
  }

 private:
  void open() {
    const Braces kind = kind_of(code_.substr(head_, at_ - head_), open_.empty() ? Braces::kScope : open_.back());
    open_.push_back(kind);
    if (kind != Braces::kValues) head_ = at_ + 1;
    if (kind != Braces::kBlock) return;
    if (blocks_++ == 0) function_ = {line_, 0, 0};
    function_.nesting = std::max(function_.nesting, blocks_ - 1);
  }

  void close() {
    const Braces kind = open_.back();
    open_.pop_back();
    if (kind != Braces::kValues) head_ = at_ + 1;
    if (kind != Braces::kBlock || --blocks_ > 0 || line_ == function_.line) return;
    function_.lines = line_ - function_.line - 1;
    functions_.push_back(function_);
  }

  const std::string& code_;
  std::size_t at_ = 0;
  std::size_t head_ = 0;  ///< where the current statement begins
  int line_ = 1;
  std::vector<Braces> open_;
  int blocks_ = 0;  ///< among the open braces
  FunctionSize function_;
  std::vector<FunctionSize> functions_;
};

}  // namespace

std::vector<FunctionSize> read_functions(std::string_view text) {
  const std::string code = without_directives(code_of(text));
  return Reader(code).run();
}

}  // namespace nestwright::house
