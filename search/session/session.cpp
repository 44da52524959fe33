#include "search/session/session.h"

#include "search/session/session_loop.h"
#include "search/task/runnable.h"

namespace nestwright {

TuningSession::TuningSession(const TaskContext& context, TuningLog& log, const SessionOptions& options,
                             const std::atomic<bool>* interrupt, const ProgressFunction& progress)
    : loop_(std::make_unique<SessionLoop>(context, log, options, interrupt, progress)) {}
TuningSession::~TuningSession() = default;

bool TuningSession::step() { return loop_->step(); }
void TuningSession::limit(std::int64_t trials, double seconds) { loop_->stop().limit(trials, seconds); }
SessionResult TuningSession::finish_within(double seconds, double interrupted_s) {
  return loop_->finish(seconds, interrupted_s);
}
const SessionResult& TuningSession::so_far() const { return loop_->so_far(); }
double TuningSession::best_ns() const { return loop_->best_ns(); }
double TuningSession::seconds() const { return loop_->stop().seconds(); }
double TuningSession::race_seconds() const { return loop_->reserve_s(); }
double TuningSession::finish_seconds() const { return loop_->finish_seconds(); }
const std::optional<SearchOutlook>& TuningSession::outlook() const { return loop_->stop().outlook(); }
std::optional<double> TuningSession::remaining_gain() const { return loop_->stop().remaining_gain(); }

SessionResult run_session(const TaskContext& context, TuningLog& log, const SessionOptions& options,
                          const std::atomic<bool>* interrupt, const ProgressFunction& progress) {
  require_runnable(context.task(), Machine::host());
  TuningSession session(context, log, options, interrupt, progress);
  while (session.step()) {
  }
  return session.finish();
}

}  // namespace nestwright
