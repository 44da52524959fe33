// A configuration: one value for every knob of one branch of a space.
// Thread rule: values.
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

/// The entries are in the order in which the template defines the knobs.
class Config {
 public:
  Config() = default;
  explicit Config(std::vector<ConfigEntry> entries) : entries_(std::move(entries)) {}
  const std::vector<ConfigEntry>& entries() const { return entries_; }
  /// Replaces the entry of `knob`, or appends one.
  void set(std::string_view knob, KnobValue value, std::string label = {});
  /// The entry of `knob`; nullptr where there is none.
  const ConfigEntry* find(std::string_view knob) const;
  /// The text that people read and parse() accepts: "tile_i=[4,2,14] pack_b=yes unroll_k=4".
  std::string str() const;
  /// The inverse of str(), except that labels are left to ConfigSpace::resolve. Throws UsageError that names the
  /// malformed part.
  static Config parse(std::string_view text);
  /// Stable across runs and machines.
  std::uint64_t hash() const;
  friend bool operator==(const Config&, const Config&) = default;

 private:
  std::vector<ConfigEntry> entries_;
};

}  // namespace nestwright
