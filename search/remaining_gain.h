// What a search can still expect: how much faster its best would become by as much time again. Two witnesses are heard.
// The history: the gains of the last three doublings of the time, each counting twice the one before it. The model:
// what it predicts of the best unmeasured candidate, counting as much as its predictions were found to rank. What is
// left below the roofline bounds both.
// Thread rule: a pure function. Units: seconds; gains are relative to the speed now (0.01: 1% faster).
#pragma once

#include <optional>
#include <span>

namespace nestwright {

/// A new best.
struct Improvement {
  double seconds = 0;  ///< since the search began
  double ratio = 1;    ///< time of the old best over that of the new one, above 1
};

/// What a strategy, its model and the machine say of the future.
struct SearchOutlook {
  std::optional<double> predicted_gain;  ///< of the best unmeasured candidate over the incumbent, both predicted
  std::optional<double> audit;           ///< rank correlation of the model on held-out trials
  std::optional<double> roofline_share;  ///< that the incumbent reaches; 1: nothing is left
  bool has_starting_points = false;      ///< seeds or transferred points are left to be proposed
};

/// Requires `history` in order of time, and `seconds` above 0: how long the search has gone on.
double remaining_gain(std::span<const Improvement> history, double seconds, const SearchOutlook& outlook);

}  // namespace nestwright
