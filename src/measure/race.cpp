#include "measure/race.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace nestwright {

namespace {

constexpr int kTries = 3;
constexpr double kMostCalls = 1e7;

struct Racer {
  Contender contender;
  std::int64_t calls = 0;  ///< of one sample; 0: not known yet
  bool running = true;     ///< neither failed, nor given up, nor beaten
  Timing timing;
  std::vector<double> by_pass;  ///< the score of each pass of the race; NaN where it did not run

  double median() const { return median_interval(timing.samples_ns).median; }
  /// 0 where nothing is known yet.
  double sample_length() const {
    const double call_ns = timing.raw_ns.empty() ? contender.call_ns : timing.raw_ns.back();
    return static_cast<double>(std::max<std::int64_t>(calls, 1)) * call_ns;
  }
};

class Race {
 public:
  Race(SampleSource& source, const RaceConditions& conditions)
      : source_(source), conditions_(conditions), random_(conditions.seed) {}

  /// The first sample decides whether it goes on.
  void enter(Racer& racer) {
    const TimingOptions& options = conditions_.timing;
    const double checked_ns = racer.contender.call_ns;
    if (best_ns_ > 0 && checked_ns > hopeless_call_ns(options, best_ns_)) {
      accept(racer, checked_ns, checked_ns, 0);
      give_up(racer);
      return;
    }
    sample(racer);
    if (!racer.running) return;
    double score = racer.timing.samples_ns.back();
    const double limit = options.give_up_ratio * best_ns_;
    if (best_ns_ > 0 && score > limit) {
      // A checked call counts as a second reading where it is long enough for cold caches not to matter.
      const bool is_confirmed = checked_ns > std::max(limit, options.sample_ns / 2);
      if (!is_confirmed && is_bracketed(racer)) {
        ++pass_;
        sample(racer);
        if (!racer.running) return;
        score = std::min(score, racer.timing.samples_ns.back());
      }
      if (score > limit) give_up(racer);
    }
    best_ns_ = best_ns_ > 0 ? std::min(best_ns_, score) : score;
  }

  /// Samples each of those that are still running once, in random order.
  void pass(std::vector<Racer*> racers) {
    ++pass_;
    for (std::size_t i = racers.size(); i > 1; --i) std::swap(racers[i - 1], racers[random_() % i]);
    for (Racer* racer : racers) {
      if (racer->running) sample(*racer);
    }
  }

  bool is_bracketed(const Racer& racer) const {
    const double expected = static_cast<double>(racer.calls) * racer.contender.call_ns;
    return conditions_.reference_bracket_ns > 0 && expected < conditions_.timing.bracket_below_ns;
  }

 private:
  static void give_up(Racer& racer) {
    racer.running = false;
    racer.timing.ended_early = true;
  }

  void accept(Racer& racer, double score, double raw, double bracket) {
    racer.timing.samples_ns.push_back(score);
    racer.timing.raw_ns.push_back(raw);
    if (bracket > 0) racer.timing.fma_ns.push_back(bracket);
    racer.by_pass.resize(pass_ + 1, std::numeric_limits<double>::quiet_NaN());
    racer.by_pass[pass_] = score;
  }

  // A reading, or nothing where the candidate has failed.
  std::optional<Reading> read(Racer& racer, std::int64_t calls, bool bracket) {
    std::optional<Reading> reading = source_.sample(racer.contender.id, calls, bracket);
    if (!reading) racer.running = false;
    return reading;
  }

  void set_calls(Racer& racer, double call_ns) {
    racer.contender.call_ns = call_ns;
    const double calls = std::ceil(conditions_.timing.sample_ns / std::max(call_ns, 1e-3));
    racer.calls = static_cast<std::int64_t>(std::clamp(calls, 1.0, kMostCalls));
  }

  // Short calls are timed in growing numbers until the estimate is good for a whole sample: one call from cold is no
  // guide.
  void find_calls(Racer& racer) {
    const double enough = conditions_.timing.sample_ns / 10;
    if (racer.contender.call_ns > 0) set_calls(racer, racer.contender.call_ns);
    double ns = racer.contender.call_ns;
    for (std::int64_t calls = 1; ns < enough && calls < static_cast<std::int64_t>(kMostCalls);) {
      const std::optional<Reading> reading = read(racer, calls, false);
      if (!reading) return;
      ns = reading->ns;
      set_calls(racer, ns / static_cast<double>(calls));
      calls =
          std::min(calls * 100, std::max(calls + 1, static_cast<std::int64_t>(1.2 * enough / racer.contender.call_ns)));
    }
  }

  void sample(Racer& racer) {
    if (racer.calls == 0) find_calls(racer);
    if (!racer.running) return;
    const bool bracket = is_bracketed(racer);
    double raw = 0, score = 0, mean_bracket = 0, least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kTries && least > conditions_.timing.bracket_tolerance; ++i) {
      const std::int64_t calls = racer.calls;
      const std::optional<Reading> reading = read(racer, calls, bracket);
      if (!reading) return;
      const double call_ns = reading->ns / static_cast<double>(calls);
      if (reading->ns < conditions_.timing.sample_ns / 2) set_calls(racer, call_ns);
      const double before = reading->bracket_before_ns, after = reading->bracket_after_ns;
      const double difference = bracket ? std::abs(before - after) / std::min(before, after) : 0;
      if (difference >= least) continue;
      least = difference;
      raw = score = call_ns;
      if (!bracket) break;
      mean_bracket = (before + after) / 2;
      score = raw * conditions_.reference_bracket_ns / mean_bracket;
    }
    accept(racer, score, raw, mean_bracket);
  }

  SampleSource& source_;
  const RaceConditions& conditions_;
  std::mt19937_64 random_;
  std::size_t pass_ = 0;
  double best_ns_ = 0;  ///< the best first sample so far; 0: none
};

// Slower than `best` with 95% confidence, by the passes that both ran in.
bool is_clearly_slower(const Racer& racer, const Racer& best) {
  std::vector<double> a, b;
  for (std::size_t i = 0; i < std::min(racer.by_pass.size(), best.by_pass.size()); ++i) {
    if (std::isnan(racer.by_pass[i]) || std::isnan(best.by_pass[i])) continue;
    a.push_back(racer.by_pass[i]);
    b.push_back(best.by_pass[i]);
  }
  // The bootstrap of fewer pairs is too sure of itself.
  if (a.size() < 5) return false;
  // Where all pairs agree, or half of them say otherwise, it is not needed to tell.
  std::size_t slower = 0;
  for (std::size_t i = 0; i < a.size(); ++i) slower += a[i] > b[i];
  if (slower == a.size()) return true;
  return 2 * slower > a.size() && paired_ratio(a, b).low > 1;
}

const Racer& best_of(const std::vector<Racer*>& racers) {
  return **std::min_element(racers.begin(), racers.end(),
                            [](const Racer* a, const Racer* b) { return a->median() < b->median(); });
}

std::vector<Timing> results(std::vector<Racer>& racers) {
  std::vector<Timing> timings;
  for (Racer& racer : racers) {
    const MedianInterval interval = median_interval(racer.timing.samples_ns);
    racer.timing.median_ns = interval.median;
    racer.timing.low_ns = interval.low;
    racer.timing.high_ns = interval.high;
    timings.push_back(std::move(racer.timing));
  }
  return timings;
}

std::vector<Racer> line_up(std::span<const Contender> contenders) {
  std::vector<Racer> racers;
  for (const Contender& contender : contenders) {
    racers.emplace_back();
    racers.back().contender = contender;
  }
  return racers;
}

}  // namespace

double hopeless_call_ns(const TimingOptions& options, double best_ns) {
  if (best_ns <= 0) return 0;
  const double disturbance = 2 * options.bracket_below_ns;
  return std::max(3 * options.bracket_below_ns, (1 + options.race_within) * best_ns + disturbance);
}

std::vector<Timing> race(SampleSource& source, const RaceConditions& conditions, std::span<const Contender> contenders,
                         std::optional<Contender> incumbent) {
  Race race(source, conditions);
  std::vector<Racer> racers = line_up(contenders);
  Racer opponent;
  opponent.running = incumbent.has_value();
  if (incumbent) {
    opponent.contender = *incumbent;
    race.enter(opponent);
  }
  for (Racer& racer : racers) race.enter(racer);

  const std::vector<int>& rounds = conditions.timing.rounds;
  int taken = 1;
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    std::vector<Racer*> going;
    for (Racer& racer : racers) {
      if (racer.running) going.push_back(&racer);
    }
    const bool with_opponent = opponent.running && std::any_of(going.begin(), going.end(), [&](const Racer* r) {
                                 return round > 0 || !race.is_bracketed(*r);
                               });
    if (round > 0 && !going.empty()) {
      const Racer* best = &best_of(going);
      if (opponent.running && opponent.median() < best->median()) best = &opponent;
      for (Racer* r : going) {
        const double within = conditions.timing.race_within * std::pow(0.25, static_cast<double>(round) - 1);
        const bool near = r->median() <= best->median() * (1 + within);
        r->running = near && !is_clearly_slower(*r, *best);
      }
      std::erase_if(going, [](const Racer* r) { return !r->running; });
    }
    if (going.empty()) break;
    if (with_opponent) going.push_back(&opponent);
    for (; taken < rounds[round]; ++taken) {
      std::erase_if(going, [&](const Racer* r) {
        const auto samples = static_cast<int>(r->timing.samples_ns.size());
        return samples >= conditions.timing.samples_of(r->sample_length(), rounds[round]);
      });
      race.pass(going);
      std::erase_if(going, [](const Racer* r) { return !r->running; });
      if (round + 1 < rounds.size() || going.empty()) continue;
      const Racer& best = best_of(going);
      std::erase_if(going, [&](const Racer* r) { return r != &opponent && is_clearly_slower(*r, best); });
      if (going.size() == 1 && going.front() == &opponent) break;
    }
  }
  return results(racers);
}

std::vector<Timing> race_finalists(SampleSource& source, const RaceConditions& conditions,
                                   std::span<const Contender> contenders) {
  Race race(source, conditions);
  std::vector<Racer> racers = line_up(contenders);
  std::vector<Racer*> everyone;
  for (Racer& racer : racers) everyone.push_back(&racer);
  race.pass(everyone);
  // As many for everyone, for the samples of one pass are a pair: what the fastest needs.
  double shortest = std::numeric_limits<double>::infinity();
  for (const Racer& racer : racers) {
    if (racer.running) shortest = std::min(shortest, racer.sample_length());
  }
  for (int i = conditions.timing.finalist_samples_of(shortest); i > 1; --i) race.pass(everyone);
  return results(racers);
}

}  // namespace nestwright
