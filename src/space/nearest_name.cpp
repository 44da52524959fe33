#include "space/nearest_name.h"

#include <algorithm>
#include <vector>

namespace nestwright {
namespace {

/// Levenshtein distance.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view word, std::span<const std::string> known) {
  std::string best;
  std::size_t least = 3;
  for (const std::string& name : known) {
    const std::size_t distance = edits(word, name);
    const std::size_t allowed = std::min(word.size(), name.size()) <= 3 ? 1 : 2;
    if (distance <= allowed && distance < least && distance < name.size()) {
      least = distance;
      best = name;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
  const std::string meant = nearest_name(word, known);
  return meant.empty() ? std::string() : "; did you mean '" + meant + "'";
}

std::string join_names(std::span<const std::string> names, std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < std::min(limit, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > limit) text += ", ... (" + std::to_string(names.size()) + " in all)";
  return text;
}

}  // namespace nestwright
