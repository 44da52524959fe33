#include "nestwright/parallel_pool.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstdint>
#include <new>
#include <string>

#include "nestwright/error.h"
#include "runtime/awake_threads.h"
#include "runtime/spin_pool.h"

namespace nestwright {
namespace {

class SerialPool final : public ParallelPool {
 public:
  SerialPool() {
    abi_ = {this, 1, [](void*, std::int32_t tasks, nestwright_body body, void* closure) {
              for (std::int32_t task = 0; task < tasks; ++task) body(task, 0, closure);
            }};
  }
};

class TbbPool final : public ParallelPool {
 public:
  explicit TbbPool(int threads) : arena_(threads) { abi_ = {this, threads, &TbbPool::run}; }

 private:
  static void run(void* pool, std::int32_t tasks, nestwright_body body, void* closure) {
    static_cast<TbbPool*>(pool)->arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::int32_t>(0, tasks),
          [&](const tbb::blocked_range<std::int32_t>& range) {
            // The slot in the arena, not the task's number: two running tasks never share it.
            const int thread = tbb::this_task_arena::current_thread_index();
            for (std::int32_t task = range.begin(); task != range.end(); ++task) body(task, thread, closure);
          },
          tbb::static_partitioner());
    });
  }

  tbb::task_arena arena_;
};

class SpinPool final : public ParallelPool {
 public:
  explicit SpinPool(int threads) {
    abi_ = nestwright_make_spin_pool(threads);
    if (abi_.pool == nullptr) throw std::bad_alloc();
  }
  ~SpinPool() override { nestwright_free_spin_pool(abi_.pool); }
};

}  // namespace

const char* pool_name(PoolKind kind) {
  switch (kind) {
    case PoolKind::kSerial:
      return "serial";
    case PoolKind::kTbb:
      return "tbb";
    case PoolKind::kSpin:
      return "spin";
  }
  return "unknown";
}

PoolKind parse_pool(std::string_view name) {
  for (PoolKind kind : {PoolKind::kSerial, PoolKind::kTbb, PoolKind::kSpin}) {
    if (name == pool_name(kind)) return kind;
  }
  throw UsageError(fmt::format("unknown pool '{}': use serial, tbb or spin", name));
}

std::unique_ptr<ParallelPool> make_pool(PoolKind kind, int threads) {
  if (threads < 1) throw UsageError(fmt::format("a pool cannot have {} threads: use 1 or more", threads));
  if (threads == 1) kind = PoolKind::kSerial;
  switch (kind) {
    case PoolKind::kSerial:
      return std::make_unique<SerialPool>();
    case PoolKind::kTbb:
      return std::make_unique<TbbPool>(threads);
    case PoolKind::kSpin:
      return std::make_unique<SpinPool>(threads);
  }
  throw InternalError("internal error: unknown kind of pool");
}

AwakeThreads::AwakeThreads(const ParallelPool& pool)
    : spin_pool_(dynamic_cast<const SpinPool*>(&pool) != nullptr ? pool.abi()->pool : nullptr) {
  if (spin_pool_ != nullptr) nestwright_keep_spin_pool_awake(spin_pool_, 1);
}

AwakeThreads::~AwakeThreads() {
  if (spin_pool_ != nullptr) nestwright_keep_spin_pool_awake(spin_pool_, 0);
}

}  // namespace nestwright
