#include "measure/sequence/sequence_race.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "measure/race/gated_sampler.h"
#include "measure/sequence/sequence_worker.h"
#include "support/base/clock.h"

namespace nestwright {
namespace {

constexpr double kLimit_s = 60;     // of a request, in addition to its calls
constexpr double kWaitShare = 0.1;  // of its time that the race may wait for a disturbed machine

class SequenceSource final : public SampleSource {
 public:
  explicit SequenceSource(std::span<const SequenceContender> contenders) : contenders_(contenders) {
    for (const SequenceContender& contender : contenders) {
      const auto same = std::find_if(workers_.begin(), workers_.end(),
                                     [&](const auto& worker) { return &worker->setup() == contender.setup; });
      worker_of_.push_back(static_cast<std::size_t>(same - workers_.begin()));
      if (same == workers_.end()) {
        workers_.push_back(std::make_unique<SequenceWorker>(*contender.setup, contender.data_fd));
      }
    }
  }

  std::optional<Reading> sample(int candidate, std::int64_t calls, bool warm_up) override {
    const auto number = static_cast<std::size_t>(candidate);
    SequenceWorker& worker = *workers_[worker_of_[number]];
    // The first run in a process also waits for pages that were never touched.
    const bool is_first = !worker.is_running();
    const auto reply = worker.ask({contenders_[number].choice, calls, warm_up || is_first, false},
                                  kLimit_s + static_cast<double>(calls));
    return reply ? std::optional(reply->reading) : std::nullopt;
  }

  Surroundings surroundings() override {
    const auto reply = workers_.front()->ask({{}, 0}, kLimit_s);
    return reply ? reply->surroundings : Surroundings{};
  }

  void renew_process() override {
    for (const auto& worker : workers_) worker->drop();
  }

  void pause(double ns, const std::string& /*why*/) override {
    std::this_thread::sleep_for(std::chrono::nanoseconds(static_cast<std::int64_t>(ns)));
  }

 private:
  std::span<const SequenceContender> contenders_;
  std::vector<std::unique_ptr<SequenceWorker>> workers_;
  std::vector<std::size_t> worker_of_;
};

}  // namespace

std::vector<Timing> race_sequences(std::span<const SequenceContender> contenders, const TimingOptions& timing,
                                   const RaceLimits& limits) {
  if (contenders.empty()) return {};
  SequenceSource source(contenders);
  DisturbanceGate gate;
  WaitBudget wait(steady_clock(), kWaitShare);
  wait.set_end([left = limits.seconds_left] { return left && left() <= 0; });
  GatedSampler sampler(source, gate, wait, contenders.front().setup->threads);
  return race_finalists(sampler, {timing, 1, limits}, std::vector<Contender>(contenders.size()));
}

}  // namespace nestwright
