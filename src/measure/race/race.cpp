#include "measure/race/race.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "measure/race/race_passes.h"

namespace nestwright {

namespace {

constexpr int kReferenceSamples = 10;  // of a first candidate, the reference kernel of the others
constexpr double kStallNs = 10e6;      // the most that a scheduler's time slice or cold caches add to a call
constexpr int kMinConfirmations = 6;   // pairs; fewer if a call takes long
constexpr int kMaxConfirmations = 30;
constexpr double kGainAPair = 0.02;           // one more pair per this much gain
constexpr int kMinSlowConfirmations = 3;      // for kernels that take long
constexpr int kMinVerySlowConfirmations = 2;  // for kernels that take longer than kVerySlowNs
constexpr double kVerySlowNs = 500e6;
constexpr int kImplausiblePasses = 3;  // passes for a candidate that is faster than the machine can be
constexpr double kFarAbove = 2;        // relative to the limit for giving up
constexpr double kAboveLimit = 1.05;   // relative to the highest rates ever measured: still plausible

/// A checked call longer than this needs no sampling: neither cold caches nor a scheduler's time slice explain it.
double eliminating_call_ns(const TimingOptions& options, double best_ns) {
  return std::max(3 * kStallNs, (1 + options.race_within) * best_ns + 2 * kStallNs);
}

class Race {
 public:
  Race(GatedSampler& sampler, const RaceConditions& conditions, std::span<const Contender> contenders,
       const std::optional<Contender>& incumbent)
      : options_(conditions.timing), passes_(sampler, conditions), racers_(make_racers(contenders)) {
    if (!incumbent) return;
    incumbent_.id = static_cast<int>(contenders.size());
    incumbent_.contender = *incumbent;
    reference_ = &incumbent_;
    result_.reference_ns = incumbent->call_ns;
  }

  RaceResult run() {
    if (reference_ == nullptr) choose_reference();
    while (reference_ != nullptr) {
      first_passes();
      rounds();
      sample_implausible();
      confirm();
      if (reference_->running) break;
      replace_reference();
    }
    set_unit();
    for (const Racer& racer : racers_) result_.timings.push_back(timing(racer));
    return std::move(result_);
  }

 private:
  /// Chooses the first candidate that does not fail.
  void choose_reference() {
    for (std::size_t i = 0; i < racers_.size(); ++i) {
      Racer& racer = racers_[i];
      for (int n = options_.samples_of(racer.sample_length(), kReferenceSamples); n > 0 && racer.running; --n) {
        passes_.pass({&racer});
        if (passes_.is_over()) break;
      }
      if (!racer.running || racer.samples.empty()) continue;
      reference_ = &racer;
      if (!result_.incumbent_failed) result_.reference = i;
      set_unit();
      return;
    }
  }

  /// Replaces the reference kernel after it failed.
  void replace_reference() {
    result_.incumbent_failed = result_.incumbent_failed || reference_ == &incumbent_;
    result_.reference.reset();
    result_.reference_ns = 0;
    reference_ = nullptr;
    choose_reference();
  }

  /// The reference time of a candidate is the median of all its readings: if the clock drifts, the readings that chose
  /// the candidate are not those that the others are paired with.
  void set_unit() {
    if (reference_ == nullptr || reference_ == &incumbent_) return;
    result_.reference_ns = timing_of(*reference_, *reference_, 0).median_ns;
  }

  Timing timing(const Racer& racer) const {
    Timing timing = timing_of(racer, reference_ ? *reference_ : racer, result_.reference_ns);
    if (const auto found = implausible_.find(&racer); found != implausible_.end()) timing.disturbance = found->second;
    return timing;
  }
  double median(const Racer& racer) const { return timing_of(racer, *reference_, result_.reference_ns).median_ns; }

  /// Runs a pass with the reference kernel. Returns false if the race cannot continue.
  bool pass(std::vector<Racer*> racers) {
    racers.push_back(reference_);
    passes_.pass(racers);
    return can_continue();
  }

  std::vector<Racer*> running() {
    std::vector<Racer*> list;
    for (Racer& racer : racers_) {
      if (racer.running && &racer != reference_) list.push_back(&racer);
    }
    return list;
  }

  std::vector<double> sorted_scores(const Racer& racer) const {
    std::vector<double> scores = timing(racer).samples_ns;
    std::sort(scores.begin(), scores.end());
    return scores;
  }

  /// Whether all scores, at least two, are above the limit, and agree or are far above it: an undetected disturbance is
  /// unlikely to slow two of them by the same factor.
  bool is_given_up(const std::vector<double>& scores, double limit) const {
    if (scores.size() < 2) return false;
    const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
    return *least > kFarAbove * limit || (*least > limit && *most <= (1 + options_.race_within) * *least);
  }

  static void give_up(Racer& racer) {
    racer.running = false;
    racer.ended_early = true;
  }

  void first_passes() {
    const double eliminating = eliminating_call_ns(options_, result_.reference_ns);
    for (Racer* racer : running()) {
      if (racer->contender.call_ns > eliminating) give_up(*racer);
    }
    const std::vector<Racer*> first = running();
    if (first.empty() || !pass(first)) return;
    Racer* best = best_of(running());
    const double suspicious = options_.give_up_ratio * (best == reference_ ? result_.reference_ns : median(*best));
    std::vector<Racer*> suspects;
    for (Racer* racer : running()) {
      if (median(*racer) > suspicious) suspects.push_back(racer);
    }
    if (suspects.empty()) return;
    // The second pass includes the best one, which may be the best only because the reference kernel was disturbed.
    std::vector<Racer*> second = suspects;
    if (best != reference_) second.push_back(best);
    if (!pass(second)) return;
    const double limit = options_.give_up_ratio * upper_quartile_of_best({best});
    for (Racer* racer : suspects) {
      if (racer->running && is_given_up(timing(*racer).samples_ns, limit)) give_up(*racer);
    }
  }

  /// The smallest upper quartile of the racers' scores, or the reference time if that is smaller.
  double upper_quartile_of_best(const std::vector<Racer*>& racers) const {
    double least = result_.reference_ns;
    for (const Racer* racer : racers) {
      const std::vector<double> scores = sorted_scores(*racer);
      if (racer == reference_ || scores.empty()) continue;
      least = std::min(least, scores[scores.size() - 1 - scores.size() / 4]);
    }
    return least;
  }

  /// Whether it has as many undisturbed samples as wanted, or twice as many of any kind.
  bool has_enough(const Racer& racer, int wanted) const {
    const int enough = options_.samples_of(racer.sample_length(), wanted);
    const auto total = static_cast<int>(racer.samples.size());
    const auto sound = std::count_if(racer.samples.begin(), racer.samples.end(),
                                     [](const Sample& s) { return s.disturbance.empty(); });
    return sound >= enough || total >= 2 * enough;
  }

  void rounds() {
    for (std::size_t round = 0; round < options_.rounds.size() && can_continue(); ++round) {
      std::vector<Racer*> going = running();
      if (round > 0) drop_slower(going, round);
      const bool is_last = round + 1 == options_.rounds.size();
      for (;;) {
        std::erase_if(going, [&](const Racer* r) { return !r->running || has_enough(*r, options_.rounds[round]); });
        if (going.empty() || !pass(going)) break;
        if (is_last) {
          const Racer* best = best_of(running());
          std::erase_if(going, [&](const Racer* r) { return is_clearly_slower(*r, *best); });
        }
      }
    }
  }

  bool can_continue() const { return reference_->running && !passes_.is_over(); }

  /// The lower quartile of the scores, a robust lower bound: a disturbance of a few readings does not raise it.
  double lower_quartile(const Racer& racer) const {
    const std::vector<double> scores = sorted_scores(racer);
    return scores.empty() ? 0 : scores[scores.size() / 4];
  }

  /// Keeps those that may still be the best: at most half of all candidates, half as many in each further round, at
  /// least two.
  void drop_slower(std::vector<Racer*>& going, std::size_t round) {
    if (going.empty()) return;
    const double within = options_.race_within * std::pow(0.25, static_cast<double>(round) - 1);
    const Racer* best = best_of(going);
    const double limit = (1 + within) * upper_quartile_of_best(going);
    for (Racer* racer : going) {
      // The median is no criterion, because two of three samples may have an undetected disturbance.
      if (lower_quartile(*racer) > limit || is_clearly_slower(*racer, *best)) racer->running = false;
    }
    std::erase_if(going, [](const Racer* r) { return !r->running; });
    const std::size_t most = std::max<std::size_t>(2, racers_.size() >> round);
    if (going.size() <= most) return;
    std::stable_sort(going.begin(), going.end(),
                     [&](const Racer* a, const Racer* b) { return lower_quartile(*a) < lower_quartile(*b); });
    for (std::size_t i = most; i < going.size(); ++i) going[i]->running = false;
    going.resize(most);
  }

  /// The best of these and the reference kernel.
  Racer* best_of(const std::vector<Racer*>& racers) const {
    Racer* best = reference_;
    double best_ns = result_.reference_ns;
    for (Racer* racer : racers) {
      const double ns = median(*racer);
      if (ns >= best_ns || ns <= 0) continue;
      best = racer;
      best_ns = ns;
    }
    return best;
  }

  /// Samples again what looks faster than the machine can be.
  void sample_implausible() {
    const auto is_suspect = [&](const Racer& racer) { return is_implausible(median(racer), racer.contender.least_ns); };
    std::vector<Racer*> suspects;
    for (Racer& racer : racers_) {
      if (is_suspect(racer)) suspects.push_back(&racer);
    }
    std::vector<Racer*> challengers = suspects;
    std::erase(challengers, reference_);
    for (int look = 0; look < kImplausiblePasses && !suspects.empty() && can_continue(); ++look) pass(challengers);
    for (const Racer* racer : suspects) {
      if (is_suspect(*racer)) implausible_[racer] = "it seems to be faster than this machine can be";
    }
  }

  void confirm() {
    if (!can_continue() || result_.incumbent_failed) return;
    std::vector<Racer*> candidates = running();
    std::erase_if(candidates, [&](const Racer* r) { return timing(*r).is_disturbed(); });
    Racer* challenger = best_of(candidates);
    if (challenger == reference_) return;
    const double gain = 1 - median(*challenger) / result_.reference_ns;
    const int wanted =
        std::clamp(kMinConfirmations + static_cast<int>(gain / kGainAPair), kMinConfirmations, kMaxConfirmations);
    const double length = challenger->sample_length();
    const int fewest = length > kVerySlowNs ? kMinVerySlowConfirmations : kMinSlowConfirmations;
    const int affordable = std::max(options_.samples_of(length, wanted), fewest);
    const std::size_t before = challenger->samples.size(), reference_before = reference_->samples.size();
    for (int n = 0; n < affordable && challenger->running; ++n) {
      if (!pass({challenger})) return;
    }
    // Only the fresh samples decide, because the others are the reason why the challenger was chosen.
    Racer fresh = *challenger, fresh_reference = *reference_;
    fresh.samples.erase(fresh.samples.begin(), fresh.samples.begin() + static_cast<std::ptrdiff_t>(before));
    fresh_reference.samples.erase(fresh_reference.samples.begin(),
                                  fresh_reference.samples.begin() + static_cast<std::ptrdiff_t>(reference_before));
    const Pairs pairs = sound_pairs_of(fresh, fresh_reference);
    if (static_cast<int>(pairs.own.size()) < std::min(affordable, fewest)) return;
    std::vector<double> own, other;
    for (std::size_t i = 0; i < pairs.own.size(); ++i) {
      own.push_back(pairs.own[i]->call_ns);
      other.push_back(pairs.other[i]->call_ns);
    }
    if (paired_ratio(own, other).high >= 1) return;
    // The new unit, its median, is that of all samples: a few disturbed fresh ones would shift all later scores.
    result_.successor = static_cast<std::size_t>(challenger - racers_.data());
  }

  const TimingOptions& options_;
  RacePasses passes_;
  std::vector<Racer> racers_;
  Racer incumbent_;
  Racer* reference_ = nullptr;
  std::map<const Racer*, std::string> implausible_;
  RaceResult result_;
};

}  // namespace

bool is_implausible(double ns, double least_ns) { return ns > 0 && ns * kAboveLimit < least_ns; }

RaceResult race(GatedSampler& sampler, const RaceConditions& conditions, std::span<const Contender> contenders,
                std::optional<Contender> incumbent) {
  return Race(sampler, conditions, contenders, incumbent).run();
}

}  // namespace nestwright
