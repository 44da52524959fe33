// The parsers of all external input: text of users, files, databases and messages of other processes. A parser either
// accepts its input or refuses it with one sentence. It never crashes, hangs or takes memory without bound.
// Thread rule: one thread at a time.
#pragma once

#include <span>
#include <string_view>

namespace nestwright {

struct FuzzedParser {
  const char* name;  ///< also the name of its folder under corpus/
  /// Parses the bytes, prints the value and parses that again. Throws Error if it refuses the bytes; any other
  /// exception is a bug.
  void (*feed)(std::string_view bytes);
};

std::span<const FuzzedParser> fuzzed_parsers();

/// Calls feed(). If it throws anything but an Error with a message, prints the reason to standard error and aborts.
void feed_or_abort(const FuzzedParser& parser, std::string_view bytes);

}  // namespace nestwright
