// Everything that reads what a user, a file, a database or another process wrote. Whatever that is, it is read or
// refused with one sentence; nothing crashes, hangs or takes memory without bound. Thread rule: one thread at a time.
#pragma once

#include <span>
#include <string_view>

namespace nestwright {

struct FuzzedParser {
  const char* name;  ///< of the folder under corpus/, too
  /// Reads it, and what it prints of what it read once more. Throws Error where the bytes are refused; anything else
  /// that is thrown is a bug.
  void (*feed)(std::string_view bytes);
};

std::span<const FuzzedParser> fuzzed_parsers();

/// feed(); aborts, and says why on standard error, where what is thrown is no Error, or no one sentence.
void feed_or_abort(const FuzzedParser& parser, std::string_view bytes);

}  // namespace nestwright
