#include "space/near_candidate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "nestwright/error.h"
#include "space/random_index.h"

namespace nestwright {
namespace {

// The nearest of several random candidates is taken. There is one for each kPerDraw candidates, so that about as many
// are nearer than the result in a long list as in a short one.
constexpr std::size_t kPerDraw = 4, kMinDraws = 3, kMaxDraws = 64;
constexpr std::size_t kPerJump = 8;  // one move in this many goes to any candidate

int other_candidate(const Knob& knob, int current, std::mt19937_64& random) {
  const int drawn = static_cast<int>(random_index(random, knob.candidates.size() - 1));
  return drawn < current ? drawn : drawn + 1;
}

}  // namespace

bool is_ordinal(const Knob& knob) {
  switch (knob.kind) {
    case KnobKind::kKnob:
    case KnobKind::kSplit:
      return true;
    case KnobKind::kChoice:
    case KnobKind::kReorder:
    case KnobKind::kAnnotate:
      return false;
  }
  throw InternalError("unknown kind of knob");
}

double knob_distance(const KnobValue& a, const KnobValue& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double distance = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    distance += x < 0 || y < 0 ? std::abs(x - y) : std::abs(std::log2((1 + x) / (1 + y)));
  }
  return distance;
}

int near_candidate(const Knob& knob, int current, std::mt19937_64& random) {
  int nearest = other_candidate(knob, current, random);
  if (!is_ordinal(knob) || random_index(random, kPerJump) == 0) return nearest;
  const KnobValue& from = knob.candidates[current];
  double least = knob_distance(from, knob.candidates[nearest]);
  const std::size_t draws = std::clamp(knob.candidates.size() / kPerDraw, kMinDraws, kMaxDraws);
  for (std::size_t draw = 1; draw < draws; ++draw) {
    const int drawn = other_candidate(knob, current, random);
    const double distance = knob_distance(from, knob.candidates[drawn]);
    if (distance < least) {
      least = distance;
      nearest = drawn;
    }
  }
  return nearest;
}

int nearest_candidate(const Knob& knob, const KnobValue& value) {
  const auto nearer = [&](const KnobValue& a, const KnobValue& b) {
    return knob_distance(a, value) < knob_distance(b, value);
  };
  return static_cast<int>(std::min_element(knob.candidates.begin(), knob.candidates.end(), nearer) -
                          knob.candidates.begin());
}

}  // namespace nestwright
