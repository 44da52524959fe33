#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "exporter/self_test/self_test_calls.h"
#include "exporter/source/c_text.h"

namespace nestwright {
namespace {

/// Returns C that prepares what the calls read, and checks that nothing else was written.
std::string preparation_test(const Exported& e, const std::string& call) {
  if (call.empty()) return {};
  return c_text("self_test/host_prepared", {{"CALL", call}, {"NAME", e.name}});
}

}  // namespace

SelfTestCalls host_self_test_calls(const Exported& e) {
  std::string copies, after, frees, preparation;
  std::vector<std::string> arguments, constants, nulls;
  const auto add_preparation = [&] {
    arguments.emplace_back("prepared");
    nulls.emplace_back("0");
    constants.emplace_back("prepared");
    preparation = fmt::format("{}_prepare({})", e.name, fmt::join(constants, ", "));
    copies += fmt::format(
        "  unsigned char* prepared_memory = memory_for({0}_prepared_bytes + 2 * kMargin);\n"
        "  unsigned char* prepared = prepared_memory + kMargin;\n",
        e.name);
    frees += "  free(prepared_memory);\n";
  };
  for (std::size_t i = 0; i < e.definition->args.size(); ++i) {
    const Tensor& tensor = e.definition->args[i];
    const std::string type = c_type(tensor.dtype()), &name = e.parameters[i];
    const bool is_input = static_cast<int>(i) < e.definition->inputs;
    if (static_cast<int>(i) == e.definition->inputs && e.has_preparation()) add_preparation();
    if (!e.is_constant(i)) nulls.emplace_back("0");
    (e.is_constant(i) ? constants : arguments).push_back(name + "_at");
    copies += fmt::format(
        "  {0}* {1}_memory = memory_for(({2} + 2 * kMargin) * sizeof({0}));\n"
        "  {0}* {1}_at = {1}_memory + (offset - offset % {3});\n",
        type, name, tensor.buffer()->elements(), std::max(1, e.alignment(i) / tensor.dtype().bytes()));
    frees += fmt::format("  free({}_memory);\n", name);
    if (is_input) {
      copies += fmt::format("  memcpy({1}_at, {1}, {2} * sizeof({0}));\n", type, name, tensor.buffer()->elements());
      continue;
    }
    after += c_text("self_test/host_written",
                    {{"NAME", e.name}, {"TENSOR", name}, {"TYPE", type}, {"OUTPUT", tensor.name()}});
  }
  return {
      .where = ", at pointers aligned to 64 bytes and to no more than the kernel needs",
      .build = fmt::format("cc -O2 {0}_selftest.c lib{0}.a -lm -lpthread -o {0}_selftest && ./{0}_selftest", e.name),
      .turn = "int offset",
      .turns = "kMargin, kMargin + 1, kMargin + 7",
      .before = copies,
      .prepare = preparation_test(e, preparation),
      .call = fmt::format("{}({})", e.name, fmt::join(arguments, ", ")),
      .unable = "this CPU lacks instructions that it needs",
      .after = after,
      .release = frees,
      .null_call = fmt::format("{}({})", e.name, fmt::join(nulls, ", ")),
      .nulls = "pointers",
      .end = fmt::format("  {}_release();\n", e.name),
  };
}

}  // namespace nestwright
