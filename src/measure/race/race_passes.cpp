#include "measure/race/race_passes.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

constexpr double kMaxCalls = 1e7;
constexpr int kMaxRepeats = 3;  // of a pass in disturbed surroundings

void fill(const std::vector<const Sample*>& samples, Timing& timing) {
  for (const Sample* sample : samples) {
    timing.raw_ns.push_back(sample->call_ns);
    timing.passes.push_back(sample->pass);
    timing.processes.push_back(sample->process);
    if (sample->fma_ns > 0) timing.fma_ns.push_back(sample->fma_ns);
    if (sample->walk_ns > 0) timing.walk_ns.push_back(sample->walk_ns);
  }
}

std::vector<double> call_times(const std::vector<const Sample*>& samples) {
  std::vector<double> times;
  for (const Sample* sample : samples) times.push_back(sample->call_ns);
  return times;
}

}  // namespace

double Racer::sample_length() const {
  const double call_ns = samples.empty() ? contender.call_ns : samples.back().call_ns;
  return static_cast<double>(std::max<std::int64_t>(calls, 1)) * call_ns / contender.whole_ratio();
}

std::vector<Racer> make_racers(std::span<const Contender> contenders) {
  std::vector<Racer> racers(contenders.size());
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    racers[i].id = static_cast<int>(i);
    racers[i].contender = contenders[i];
  }
  return racers;
}

RacePasses::RacePasses(GatedSampler& sampler, const RaceConditions& conditions)
    : sampler_(sampler), conditions_(conditions), random_(conditions.seed) {
  sampler_.observe();  // discards disturbances before the first pass
}

void RacePasses::start_process() {
  ++process_;
  sampler_.renew_process();
  sampler_.observe();
}

void RacePasses::pass(const std::vector<Racer*>& racers) {
  std::vector<Racer*> order = racers;
  for (int repeat = 0; repeat < kMaxRepeats; ++repeat) {
    ++pass_;
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random_() % i]);
    for (Racer* racer : order) {
      if (racer->running) sample(*racer);
    }
    const auto [surroundings, disturbance] = sampler_.observe();
    for (Racer* racer : order) {
      if (racer->samples.empty() || racer->samples.back().pass != pass_) continue;
      Sample& sample = racer->samples.back();
      sample.walk_ns = surroundings.walk_ns;
      if (sample.disturbance.empty()) sample.disturbance = disturbance;
    }
    if (disturbance.empty() || is_over() || !sampler_.wait(disturbance, surroundings.readings_ns)) return;
  }
}

void RacePasses::set_calls(Racer& racer, double call_ns) const {
  racer.contender.call_ns = call_ns;
  const double calls =
      std::round(conditions_.timing.sample_ns * racer.contender.whole_ratio() / std::max(call_ns, 1e-3));
  racer.calls = static_cast<std::int64_t>(std::clamp(calls, 1.0, kMaxCalls));
}

// Short calls are timed in growing numbers until the estimate suffices for a whole sample, because one cold call is a
// bad estimate.
void RacePasses::find_calls(Racer& racer) {
  const double enough = conditions_.timing.sample_ns / 10;
  if (racer.contender.call_ns > 0) set_calls(racer, racer.contender.call_ns);
  double ns = racer.contender.call_ns / racer.contender.whole_ratio();
  for (std::int64_t calls = 1; ns < enough && calls < static_cast<std::int64_t>(kMaxCalls);) {
    const std::optional<Sample> sample = sampler_.take(racer.id, calls, false);
    if (!sample) {
      racer.running = false;
      return;
    }
    ns = sample->ns;
    set_calls(racer, racer.contender.whole_ratio() * ns / static_cast<double>(calls));
    calls = std::min(calls * 100,
                     std::max(calls + 1, static_cast<std::int64_t>(1.2 * enough * static_cast<double>(calls) / ns)));
  }
}

void RacePasses::sample(Racer& racer) {
  if (racer.calls == 0) find_calls(racer);
  if (!racer.running) return;
  // The first estimate may have been far too long, which would make the sample too short to count.
  for (int tries = 0; tries < 2; ++tries) {
    const std::int64_t calls = racer.calls;
    const double ratio = racer.contender.whole_ratio();
    const bool is_short_call = racer.contender.call_ns < conditions_.timing.warm_below_ns * ratio;
    std::optional<Sample> sample = sampler_.take(racer.id, calls, is_short_call);
    if (!sample) {
      racer.running = false;
      return;
    }
    const bool is_short = sample->ns < conditions_.timing.sample_ns / 2 && calls < static_cast<std::int64_t>(kMaxCalls);
    if (is_short) set_calls(racer, ratio * sample->ns / static_cast<double>(calls));
    if (is_short && tries == 0) continue;
    sample->pass = pass_;
    sample->process = process_;
    sample->call_ns *= ratio;
    racer.samples.push_back(std::move(*sample));
    return;
  }
}

Pairs sound_pairs_of(const Racer& racer, const Racer& other) {
  Pairs pairs;
  auto next = other.samples.begin();
  for (const Sample& sample : racer.samples) {
    while (next != other.samples.end() && next->pass < sample.pass) ++next;
    if (next == other.samples.end()) break;
    if (next->pass != sample.pass) continue;
    const std::string& disturbance = sample.disturbance.empty() ? next->disturbance : sample.disturbance;
    if (!disturbance.empty()) {
      pairs.disturbance = disturbance;
      continue;
    }
    pairs.own.push_back(&sample);
    pairs.other.push_back(&*next);
  }
  return pairs;
}

Pairs pairs_of(const Racer& racer, const Racer& other) {
  constexpr std::size_t kEnough = 2;
  Pairs sound = sound_pairs_of(racer, other);
  if (sound.own.size() >= kEnough || sound.disturbance.empty()) return sound;
  Pairs all;
  all.are_sound = false;
  all.disturbance = sound.disturbance;
  for (const Sample& sample : racer.samples) {
    for (const Sample& same : other.samples) {
      if (same.pass != sample.pass) continue;
      all.own.push_back(&sample);
      all.other.push_back(&same);
    }
  }
  return all;
}

Timing timing_of(const Racer& racer, const Racer& reference, double reference_ns) {
  Timing timing;
  timing.ended_early = racer.ended_early;
  timing.part_ratio = racer.contender.part_ratio;
  const Pairs pairs = pairs_of(racer, reference);
  fill(pairs.own, timing);
  const std::vector<double> own = call_times(pairs.own), other = call_times(pairs.other);
  for (std::size_t i = 0; i < own.size(); ++i) {
    timing.samples_ns.push_back(&racer == &reference ? own[i] : reference_ns * own[i] / other[i]);
  }
  timing.reference_ns = other;
  if (!pairs.are_sound) timing.disturbance = pairs.disturbance;
  if (timing.samples_ns.empty() && racer.contender.call_ns > 0 && racer.ended_early) {
    timing.samples_ns = timing.raw_ns = {racer.contender.call_ns};  // its checked calls were enough
  }
  const MedianInterval interval = median_interval(timing.samples_ns);
  timing.median_ns = interval.median;
  timing.low_ns = interval.low;
  timing.high_ns = interval.high;
  return timing;
}

bool is_clearly_slower(const Racer& racer, const Racer& best) {
  if (&racer == &best) return false;
  const Pairs pairs = sound_pairs_of(racer, best);
  const std::vector<double> own = call_times(pairs.own), other = call_times(pairs.other);
  if (own.size() < 5) return false;
  std::size_t slower = 0;
  for (std::size_t i = 0; i < own.size(); ++i) slower += own[i] > other[i];
  // If all pairs agree, or half of them say otherwise, the interval is not needed.
  if (slower == own.size()) return true;
  return 2 * slower > own.size() && paired_ratio(own, other).low > 1;
}

}  // namespace nestwright
