#include "forks.h"

#include <pthread.h>

#include <atomic>

#include "nestwright/error.h"

namespace nestwright::python {
namespace {

std::atomic<bool> has_threads{false};   // of the library, in this process
std::atomic<bool> lost_threads{false};  // it was forked from a process that had them

void note_fork() {
  if (has_threads) lost_threads = true;
}

}  // namespace

void watch_forks() { pthread_atfork(nullptr, nullptr, note_fork); }

void require_threads() {
  if (lost_threads) {
    throw UsageError(
        "this process was forked from one that had used nestwright, whose threads do not exist here: start processes "
        "by multiprocessing's method 'spawn', or use nestwright in the children only");
  }
  has_threads = true;
}

}  // namespace nestwright::python
