// Estimates how much faster a search would become if it went on for as long again. It combines two estimates: the
// history, which is the gains of the last three doublings of the time, each with twice the weight of the one before;
// and the model's prediction for the best unmeasured candidate, weighted by its audited skill. The distance to the
// roofline bounds the result.
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

/// What the strategy, its model and the machine know about the rest of the search.
struct SearchOutlook {
  std::optional<double> predicted_gain;  ///< of the best unmeasured candidate over the incumbent, both predicted
  std::optional<double> model_skill;     ///< by the last audit, from 0 to 1 (ModelAudit::skill)
  std::optional<double> roofline_share;  ///< share of the roofline that the incumbent reaches; 1: no room is left
  bool has_starting_points = false;      ///< some seeds or transferred points are not proposed yet
  int templates = 1;                     ///< that are searched and have points left
};

/// Requires `history` in order of time and `seconds`, the duration of the search so far, above 0.
double remaining_gain(std::span<const Improvement> history, double seconds, const SearchOutlook& outlook);

}  // namespace nestwright
