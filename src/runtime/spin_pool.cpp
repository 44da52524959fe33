#include "runtime/spin_pool.h"

#include <chrono>

namespace nestwright {
namespace {

constexpr std::chrono::microseconds kSpinTime{50};

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Spins until done() or until kSpinTime is over. The clock is read once in 64 turns, for it costs more than a turn.
template <class Done>
bool spin_until(const Done& done) {
  const auto end = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int turn = 0; turn < 64; ++turn) {
      if (done()) return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return done();
}

}  // namespace

SpinPool::SpinPool(int threads) {
  abi_ = {this, threads, &SpinPool::run};
  for (std::int32_t thread = 1; thread < threads; ++thread) {
    workers_.emplace_back([this, thread] { work(thread); });
  }
}

SpinPool::~SpinPool() {
  stop_ = true;
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void SpinPool::run(void* self, std::int32_t tasks, nestwright_body body, void* closure) {
  auto& pool = *static_cast<SpinPool*>(self);
  if (tasks <= 1) {
    if (tasks == 1) body(0, 0, closure);
    return;
  }
  pool.tasks_ = tasks;
  pool.body_ = body;
  pool.closure_ = closure;
  pool.running_.store(static_cast<std::int32_t>(pool.workers_.size()), std::memory_order_relaxed);
  // Sequentially consistent, as is the count of sleepers: a worker either sees the new generation before it sleeps, or
  // is seen here as a sleeper.
  pool.generation_.fetch_add(1);
  if (pool.sleepers_.load() > 0) pool.generation_.notify_all();
  pool.run_share(0);
  const auto finished = [&] { return pool.running_.load(std::memory_order_acquire) == 0; };
  // Where cores are short the worker may need ours to finish.
  while (!spin_until(finished)) std::this_thread::yield();
}

void SpinPool::run_share(std::int32_t thread) const {
  const std::int64_t tasks = tasks_, threads = abi_.threads;
  const auto begin = static_cast<std::int32_t>(tasks * thread / threads);
  const auto end = static_cast<std::int32_t>(tasks * (thread + 1) / threads);
  for (std::int32_t task = begin; task < end; ++task) body_(task, thread, closure_);
}

void SpinPool::work(std::int32_t thread) {
  std::uint32_t seen = 0;
  while (true) {
    if (!spin_until([&] { return generation_.load(std::memory_order_acquire) != seen; })) {
      sleepers_.fetch_add(1);
      generation_.wait(seen);
      sleepers_.fetch_sub(1);
    }
    // A loop ends only when every worker has finished its share, so no generation is ever skipped.
    ++seen;
    if (stop_) return;
    run_share(thread);
    running_.fetch_sub(1, std::memory_order_release);
  }
}

}  // namespace nestwright
