#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <random>
#include <set>

#include "exporter/network/network_sources.h"
#include "exporter/source/c_text.h"
#include "exporter/source/sources.h"

namespace nestwright {
namespace {

constexpr std::size_t kMaxChecked = 1024;  ///< elements of an output

/// The numbers of the elements that are compared: all, or some at random with the first and the last.
std::vector<std::size_t> chosen_elements(std::size_t elements) {
  std::set<std::size_t> chosen;
  if (elements <= kMaxChecked) {
    for (std::size_t i = 0; i < elements; ++i) chosen.insert(i);
  } else {
    std::mt19937_64 generator(1);
    chosen = {0, elements - 1};
    while (chosen.size() < kMaxChecked) chosen.insert(generator() % elements);
  }
  return {chosen.begin(), chosen.end()};
}

std::string number(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value < 0 ? "-INFINITY" : "INFINITY";
  return fmt::format("{:.17g}", value);
}

/// A C expression for the element `i` of a tensor as a double.
std::string element_value(const NetworkTensor& tensor) {
  if (tensor.type.type == kFloat16) return fmt::format("of_float16({}[i])", tensor.parameter);
  if (tensor.type.type == kBFloat16) return fmt::format("of_bfloat16({}[i])", tensor.parameter);
  return fmt::format("(double){}[i]", tensor.parameter);
}

std::string fill_text(const NetworkTensor& tensor) {
  const std::string type = c_type(tensor.type.type);
  std::string value = fmt::format("({})uniform()", type);
  if (tensor.type.type == kFloat16) value = "to_float16(uniform())";
  if (tensor.type.type == kBFloat16) value = "to_bfloat16(uniform())";
  if (!tensor.type.type.is_float()) value = "uniform() >= 0";
  std::string text = fmt::format("  {0}* const {1} = memory_for({2}l * sizeof({0}));\n", type, tensor.parameter,
                                 tensor.type.elements());
  if (tensor.is_input) {
    text +=
        fmt::format("  for (long i = 0; i < {}; ++i) {}[i] = {};\n", tensor.type.elements(), tensor.parameter, value);
  }
  return text;
}

std::string conversions(const ExportedNetwork& e) {
  const auto has = [&](ir::Type type) {
    return std::any_of(e.tensors.begin(), e.tensors.end(), [&](const auto& t) { return t.type.type == type; });
  };
  std::string text;
  if (has(kFloat16)) text += c_text("self_test/to_float16") + "\n" + c_text("self_test/of_float16") + "\n";
  if (has(kBFloat16)) text += c_text("self_test/to_bfloat16") + "\n" + c_text("self_test/of_bfloat16") + "\n";
  return text;
}

}  // namespace

std::string network_self_test(const ExportedNetwork& e, const NetworkSamples& samples) {
  std::string expected, memory, checks, frees;
  std::vector<std::string> arguments, nulls;
  std::size_t output = 0, checked = 0;
  for (const NetworkTensor& tensor : e.tensors) {
    memory += fill_text(tensor);
    arguments.push_back(tensor.parameter);
    nulls.emplace_back("0");
    frees += fmt::format("  free({});\n", tensor.parameter);
    if (tensor.is_input) continue;
    const std::vector<double>& values = samples.outputs[output].values;
    const std::vector<std::size_t> elements = chosen_elements(values.size());
    expected += fmt::format("static const struct expected expected{}[] = {{\n", output);
    for (const std::size_t i : elements) expected += fmt::format("    {{{}, {}}},\n", i, number(values[i]));
    expected += "};\n";
    checks += fmt::format(
        "    for (int e = 0; right && e < {0}; ++e) {{\n"
        "      const long i = expected{1}[e].element;\n"
        "      right = is_right({2}, i, {3}, expected{1}[e].value, {4});\n"
        "    }}\n",
        elements.size(), output, fmt::format("\"{}\"", tensor.parameter), element_value(tensor),
        number(samples.outputs[output].tolerance));
    checked += elements.size();
    ++output;
  }
  const std::string file = e.name + "_weights.bin";
  const std::string create = e.has_embedded_weights ? fmt::format("{}_create_embedded(&network)", e.name)
                                                    : fmt::format("{}_create(\"{}\", &network)", e.name, file);
  return c_text(
      "network/self_test",
      {{"NAME", e.name},
       {"BUILD", fmt::format("cc -O2 {0}_selftest.c lib{0}.a -lpthread -lm -o selftest && ./selftest 100", e.name)},
       {"UNIFORM", c_text("self_test/uniform") + "\n" + conversions(e)},
       {"EXPECTED", expected},
       {"PARAMETERS", e.parameters()},
       {"ARGUMENTS", fmt::format("{}", fmt::join(arguments, ", "))},
       {"NULLS", fmt::format("{}", fmt::join(nulls, ", "))},
       {"CREATE", create},
       {"MEMORY", memory},
       {"CHECKS", checks},
       {"CHECKED", std::to_string(checked) + "l"},
       {"FREES", frees}});
}

}  // namespace nestwright
