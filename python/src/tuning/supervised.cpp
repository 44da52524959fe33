#include "tuning/supervised.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace nestwright::python {

nb::dict dict_of(const News& news) {
  const Progress& progress = news.progress;
  nb::dict dict;
  dict["label"] = news.label;
  dict["trials"] = progress.trials;
  dict["best_seconds"] = progress.best_ns > 0 ? nb::cast(progress.best_ns * 1e-9) : nb::none();
  dict["seconds"] = progress.seconds;
  dict["seconds_left"] = progress.seconds_left;
  dict["waiting_for"] = progress.waiting_for;
  dict["phase"] = progress.phase;
  dict["detail"] = progress.detail;
  dict["whole_seconds"] = news.whole_ns > 0 ? nb::cast(news.whole_ns * 1e-9) : nb::none();
  dict["tuned_share"] = news.tuned_share;
  return dict;
}

Supervised::Thread::~Thread() {
  {
    const std::scoped_lock lock(of_.mutex_);
    if (!of_.done_) of_.interrupt_ = true;
  }
  if (!of_.has_lock_) {  // unwound because the interpreter ends, which gives no thread the lock
    thread_.join();
    return;
  }
  const nb::gil_scoped_release unlocked;
  thread_.join();
}

void Supervised::report(News news) {
  const std::scoped_lock lock(mutex_);
  latest_ = std::move(news);
  changed_.notify_all();
}

void Supervised::watch() {
  constexpr auto kBetweenSignals = std::chrono::milliseconds(50);
  for (bool done = false; !done;) {
    std::optional<News> news;
    has_lock_ = false;
    {
      const nb::gil_scoped_release unlocked;
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kBetweenSignals, [&] { return done_ || latest_.has_value(); });
      news = std::exchange(latest_, std::nullopt);
      done = done_;
    }
    has_lock_ = true;
    handle(news);
  }
}

void Supervised::handle(const std::optional<News>& news) {
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const bool is_told = news && !on_progress_.is_none() && !raised_;
    if (is_told && nb::cast<bool>(nb::bool_(on_progress_(dict_of(*news))))) interrupt_ = true;
  } catch (nb::python_error& e) {
    interrupt_ = true;
    const bool keeps_result = interruption_ == Interruption::kKeepsTheResult && e.matches(PyExc_KeyboardInterrupt);
    if (!keeps_result && !raised_) raised_ = std::current_exception();
  }
}

void Supervised::raise_if_any(const std::exception_ptr& failed) const {
  const nb::object of_function = std::exchange(errors_->first, nb::object());
  if (raised_) std::rethrow_exception(raised_);
  if (failed && of_function) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(of_function.ptr())), of_function.ptr());
    throw nb::python_error();
  }
  if (failed) std::rethrow_exception(failed);
}

}  // namespace nestwright::python
