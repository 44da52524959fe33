// Work of the library that may take long, while Python's thread handles signals and calls the user's callbacks.
// Thread rule: made and run by a thread that holds the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "nestwright/tune.h"
#include "run_errors.h"

namespace nestwright::python {

/// The state of a session, or of the task of several that had the last turn.
struct News {
  Progress progress;
  std::string label = {};  ///< of the task; empty: there is one task
  double whole_ns = 0;     ///< SharedProgress::whole_ns; 0: there is one task
  double tuned_share = 0;  ///< SharedProgress::tuned_share
};

/// The state as the package's callbacks get it.
nanobind::dict dict_of(const News& news);

/// Runs work on a thread of its own, without the interpreter's lock, while the supervised call handles signals, which
/// Python's main thread alone sees, and passes on what the work reports.
class Supervised {
 public:
  /// What the user's interruption does: it ends the work in any case.
  enum class Interruption : std::uint8_t { kIsRaised, kKeepsTheResult };

  /// `on_progress` is None, or is called with a dictionary; a true result ends the work. An error of its ends the work,
  /// too, and is raised afterwards.
  explicit Supervised(nanobind::object on_progress = nanobind::none(),
                      Interruption interruption = Interruption::kIsRaised)
      : on_progress_(std::move(on_progress)), interruption_(interruption) {}
  /// For work with a workload of an earlier run, whose templates know that run's errors.
  explicit Supervised(SharedRunErrors errors) : errors_(std::move(errors)) {}

  /// The run's errors, for with_errors().
  const SharedRunErrors& errors() const { return errors_; }

  /// The work ends soon once this is true.
  const std::atomic<bool>& interrupt() const { return interrupt_; }
  /// Called by the work, on any thread.
  void report(News news);

  /// Returns the work's result. Throws what the work, a callback or a template in Python threw.
  template <class Work>
  auto run(const Work& work) {
    std::optional<decltype(work())> result;
    std::exception_ptr failed;
    errors_->first = {};
    {
      // Joined also where this thread is unwound, because the interpreter ends.
      const Thread worker(*this, std::thread([&] {
        try {
          result.emplace(work());
        } catch (...) {
          failed = std::current_exception();
        }
        const std::scoped_lock lock(mutex_);
        done_ = true;
        changed_.notify_all();
      }));
      watch();
    }
    raise_if_any(failed);
    return std::move(*result);
  }

 private:
  class Thread {
   public:
    Thread(Supervised& of, std::thread thread) : of_(of), thread_(std::move(thread)) {}
    Thread(const Thread&) = delete;
    Thread& operator=(const Thread&) = delete;
    ~Thread();

   private:
    Supervised& of_;
    std::thread thread_;
  };

  /// Handles signals and reports until the work is done.
  void watch();
  void handle(const std::optional<News>& news);
  /// Throws what ended the work, if anything did: the callback's error, that of a Python function, or `failed`.
  void raise_if_any(const std::exception_ptr& failed) const;

  SharedRunErrors errors_ = make_run_errors();
  nanobind::object on_progress_ = nanobind::none();
  Interruption interruption_ = Interruption::kIsRaised;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<News> latest_;
  bool done_ = false;
  std::atomic<bool> interrupt_{false};
  std::exception_ptr raised_;
  bool has_lock_ = true;  ///< whether the supervising thread has the interpreter's lock
};

}  // namespace nestwright::python
