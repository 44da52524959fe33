#include "run_errors.h"

#include <nanobind/stl/string.h>

#include <utility>

#include "nestwright/error.h"
#include "nestwright/template.h"
#include "templates.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

thread_local const SharedRunErrors* current = nullptr;

/// Makes a run the current one of this thread. A thread that waits inside a template may run another one meanwhile.
class CurrentRun {
 public:
  explicit CurrentRun(const SharedRunErrors& errors) : before_(std::exchange(current, &errors)) {}
  CurrentRun(const CurrentRun&) = delete;
  CurrentRun& operator=(const CurrentRun&) = delete;
  ~CurrentRun() { current = before_; }

 private:
  const SharedRunErrors* before_;
};

}  // namespace

SharedRunErrors current_run() { return current == nullptr ? nullptr : *current; }

Workload with_errors(Workload workload, const SharedRunErrors& errors) {
  if (!is_of_python(*workload.op)) return workload;
  auto op = std::make_shared<Operator>(*workload.op);
  for (Template& each : op->templates) {
    each.schedule = [errors, schedule = std::move(each.schedule)](Tuning& tuning, const Workload& of,
                                                                  Definition& definition, const Target& target) {
      const CurrentRun run(errors);
      return schedule(tuning, of, definition, target);
    };
  }
  workload.op = std::move(op);
  return workload;
}

void throw_kept(const SharedRunErrors& errors, nb::python_error& raised, const std::string& name) {
  const std::string sentence = name + ": " + nb::cast<std::string>(nb::str(raised.type().attr("__name__"))) + ": " +
                               nb::cast<std::string>(nb::str(raised.value()));
  const bool is_refusal = raised.matches(nb::module_::import_("nestwright._nestwright").attr("Error"));
  if (errors && !errors->first && !is_refusal) errors->first = nb::borrow(raised.value());
  throw Error(sentence);
}

}  // namespace nestwright::python
