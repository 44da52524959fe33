#include "exporter/source/parameter_names.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "exporter/source/function_name.h"

namespace nestwright {
namespace {

/// How the macros begin that the headers of C, of POSIX threads and of the drivers define.
constexpr std::string_view kMacroPrefixes[] = {"ATOMIC_",  "CL_",   "CU_",  "CUDA_",    "EXIT_",      "FP_",
                                               "HUGE_VAL", "L_",    "M_",   "PTHREAD_", "SCHED_",     "SEEK_",
                                               "WCHAR_",   "WINT_", "bit_", "cl_",      "signature_", "_"};
constexpr std::string_view kMacroSuffixes[] = {"_MAX", "_MIN", "_t"};
constexpr std::string_view kMacros[] = {"BUFSIZ", "CLOCKS_PER_SEC", "EOF",   "EXPORTED", "INFINITY", "NAN",
                                        "NULL",   "TIME_UTC",       "errno", "stderr",   "stdin",    "stdout"};

/// step0, let1, ...: variables of the exported host code of a device.
bool is_host_variable(const std::string& name) {
  for (const std::string_view prefix : {"step", "let"}) {
    const bool has_number =
        name.size() > prefix.size() && name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
    if (has_number && name.starts_with(prefix)) return true;
  }
  return false;
}

bool has_meaning(const std::string& name) {
  const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
  const auto ends = [&](std::string_view suffix) { return name.ends_with(suffix); };
  return is_taken_name(name) || is_host_variable(name) ||
         std::any_of(std::begin(kMacroPrefixes), std::end(kMacroPrefixes), begins) ||
         std::any_of(std::begin(kMacroSuffixes), std::end(kMacroSuffixes), ends) ||
         std::find(std::begin(kMacros), std::end(kMacros), name) != std::end(kMacros);
}

/// Whether a self-test derives the name from one of `others`.
bool is_derived(const std::string& name, const std::set<std::string>& others) {
  return std::any_of(std::begin(kSelfTestSuffixes), std::end(kSelfTestSuffixes), [&](std::string_view suffix) {
    return name.ends_with(suffix) && others.contains(name.substr(0, name.size() - suffix.size()));
  });
}

}  // namespace

std::vector<std::string> c_parameter_names(std::span<const Tensor> tensors) {
  std::set<std::string> tensor_names, used;
  for (const Tensor& tensor : tensors) tensor_names.insert(tensor.name());
  std::vector<std::string> names;
  for (const Tensor& tensor : tensors) {
    std::string name = tensor.name();
    const auto is_free = [&] {
      if (is_derived(name, tensor_names) || used.contains(name)) return false;
      return name == tensor.name() ? !has_meaning(name) : !is_taken_name(name) && !tensor_names.contains(name);
    };
    while (!is_free()) name.insert(0, "t_");
    used.insert(name);
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace nestwright
