// A configuration: one value for every knob of one branch of a space. Pure data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nestwright {

/// The value of a knob: split factors, a permutation, one number, or the index of a choice's option.
using KnobValue = std::vector<std::int64_t>;

struct ConfigEntry {
  std::string knob;
  KnobValue value;
  std::string label;  ///< the option's name, for choices and annotations; empty otherwise
  friend bool operator==(const ConfigEntry&, const ConfigEntry&) = default;
};

/// Entries in the order in which the template defines them.
class Config {
 public:
  Config() = default;
  explicit Config(std::vector<ConfigEntry> entries) : entries_(std::move(entries)) {}
  const std::vector<ConfigEntry>& entries() const { return entries_; }
  void set(std::string_view knob, KnobValue value, std::string label = {});
  /// nullptr where the knob is not there.
  const ConfigEntry* find(std::string_view knob) const;
  /// For people, and parsed back by parse(): "tile_i=[4,2,14] pack_b=yes unroll_k=4".
  std::string str() const;
  /// Throws UsageError that names the malformed part. Labels are resolved by ConfigSpace::resolve.
  static Config parse(std::string_view text);
  /// Stable across runs and machines.
  std::uint64_t hash() const;
  friend bool operator==(const Config&, const Config&) = default;

 private:
  std::vector<ConfigEntry> entries_;
};

}  // namespace nestwright
