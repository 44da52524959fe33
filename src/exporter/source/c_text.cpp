#include "exporter/source/c_text.h"

#include <algorithm>
#include <set>

#include "nestwright/error.h"

namespace nestwright {
namespace {

/// The length of the key at the beginning of `text`, up to the '@' that ends it; npos if there is none.
std::size_t key_length(std::string_view text) {
  const std::size_t end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  return end != std::string_view::npos && end > 0 && text[end] == '@' ? end : std::string_view::npos;
}

}  // namespace

std::string c_text(std::string_view name, CValues values) {
  std::string_view rest = embedded_text(name);
  std::set<std::string_view> unused;
  for (const auto& [key, value] : values) unused.insert(key);
  std::string text;
  for (std::size_t at = rest.find('@'); at != std::string_view::npos; at = rest.find('@')) {
    text += rest.substr(0, at);
    rest.remove_prefix(at + 1);
    const std::size_t length = key_length(rest);
    if (length == std::string_view::npos) {
      text += '@';
      continue;
    }
    const std::string_view key = rest.substr(0, length);
    const auto* const found = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == key; });
    check(found != values.end(), "a text of the exporter has a key without a value");
    text += found->second;
    unused.erase(key);
    rest.remove_prefix(length + 1);
  }
  check(unused.empty(), "a value does not occur in a text of the exporter");
  return text.append(rest);
}

}  // namespace nestwright
