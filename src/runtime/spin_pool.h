// Our own pool of threads: the quickest way into a small parallel loop. Private to runtime/; made through make_pool.
// Thread rule: as for every pool, one caller at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "runtime/parallel.h"

namespace nestwright {

class SpinPool final : public ParallelPool {
 public:
  explicit SpinPool(int threads);
  ~SpinPool() override;

 private:
  static void run(void* pool, std::int32_t tasks, nestwright_body body, void* closure);
  void run_share(std::int32_t thread) const;
  void work(std::int32_t thread);

  // The loop that runs; written before generation_ is raised, read after it was seen to rise.
  std::int32_t tasks_ = 0;
  nestwright_body body_ = nullptr;
  void* closure_ = nullptr;
  bool stop_ = false;

  alignas(64) std::atomic<std::uint32_t> generation_{0};  ///< one more for every loop
  alignas(64) std::atomic<std::int32_t> running_{0};      ///< workers that have not finished this loop
  alignas(64) std::atomic<std::int32_t> sleepers_{0};
  std::vector<std::thread> workers_;
};

}  // namespace nestwright
