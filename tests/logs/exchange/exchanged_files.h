// Files and databases for the tests of formats: small ones that Kernel Tuner 1.5.0 wrote are in data/.
#pragma once

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "logs/exchange/exchange.h"
#include "logs/exchange/files/input_file.h"
#include "tests/logs/sample.h"

namespace nestwright {

/// A file of tests/logs/exchange/data.
inline std::string recorded_file(const std::string& name) { return std::string(EXCHANGE_DATA) + "/" + name; }

/// The contents of a file, decompressed.
inline std::string contents(const std::string& path) {
  InputFile file(path);
  return {std::istreambuf_iterator<char>(&file), std::istreambuf_iterator<char>()};
}

inline void write_file(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

inline nlohmann::json json_of(const std::string& path) { return nlohmann::json::parse(contents(path)); }

/// Whether both are the same but for the order of the fields of objects and for a relative error of 1e-15 of numbers
/// with a fraction, which change their unit.
inline bool are_equal(const nlohmann::json& a, const nlohmann::json& b) {
  if (a.is_number() && b.is_number()) {
    const double x = a.get<double>(), y = b.get<double>();
    return std::abs(x - y) <= 1e-15 * std::abs(x);
  }
  if (a.type() != b.type() || a.size() != b.size()) return false;
  if (a.is_object()) {
    for (const auto& [name, value] : a.items()) {
      if (!b.contains(name) || !are_equal(value, b[name])) return false;
    }
    return true;
  }
  if (!a.is_array()) return a == b;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!are_equal(a[i], b[i])) return false;
  }
  return true;
}

/// The filter of all tasks.
inline TaskFilter every_task() {
  TaskFilter filter;
  filter.with_foreign = true;
  return filter;
}

}  // namespace nestwright
