// The libFuzzer entry point for the parser named FUZZED_PARSER: fuzz_workload corpus/workload -max_total_time=60
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/parsers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nestwright;
  static const FuzzedParser& parser = *std::ranges::find_if(
      fuzzed_parsers(), [](const FuzzedParser& p) { return std::string_view(p.name) == FUZZED_PARSER; });
  feed_or_abort(parser, {reinterpret_cast<const char*>(data), size});
  return 0;
}
