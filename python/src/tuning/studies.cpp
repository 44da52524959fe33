// Searches that Python drives, and the spaces that are searched.
#include <nanobind/stl/string.h>

#include <memory>
#include <mutex>
#include <optional>

#include "bindings.h"
#include "conversions.h"
#include "forks.h"
#include "tuning/options.h"
#include "tuning/records.h"
#include "tuning/supervised.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

nb::list space_of(const Workload& workload, const std::string& target) {
  Supervised counting;
  const TaskContext context = counting.run([&] {
    const TaskContext resolved = context_of(counting.errors(), workload, target, "");
    for (const Template* source : resolved.templates()) resolved.space(*source).count_valid();
    return resolved;
  });
  nb::list list;
  for (const Template* source : context.templates()) {
    const ConfigSpace& space = context.space(*source);
    const PointCount valid = space.count_valid();
    nb::dict knobs;
    for (const Branch& branch : space.branches()) {
      for (const Knob& knob : branch.knobs) {
        nb::list candidates;
        for (std::size_t i = 0; i < knob.candidates.size(); ++i) {
          candidates.append(dict_of(
              Config({{knob.name, knob.candidates[i], knob.labels.empty() ? "" : knob.labels[i]}}))[knob.name.c_str()]);
        }
        if (!knobs.contains(knob.name.c_str())) {
          knobs[knob.name.c_str()] = candidates;
          continue;
        }
        nb::list known = nb::borrow<nb::list>(knobs[knob.name.c_str()]);
        for (nb::handle candidate : candidates) {
          if (PySequence_Contains(known.ptr(), candidate.ptr()) == 0) known.append(candidate);
        }
      }
    }
    nb::dict dict;
    dict["template"] = source->name;
    dict["version"] = source->version;
    dict["points"] = valid.points;
    dict["is_estimate"] = valid.estimated;
    dict["knobs"] = knobs;
    list.append(dict);
  }
  return list;
}

/// A study, and the interpreter's view of its points: (template, version, configuration).
class PythonStudy {
 public:
  PythonStudy(const Workload& workload, const std::string& target, const nb::dict& given) {
    require_threads();
    const SessionOptions options = options_from(given);
    Supervised starting(errors_);
    study_ = starting.run([&] { return std::make_unique<Study>(context_of(errors_, workload, target, ""), options); });
  }
  nb::object ask() {
    Supervised asking(errors_);
    const std::optional<Point> point = asking.run([&] {
      const std::scoped_lock one_at_a_time(mutex_);
      return study_->ask();
    });
    if (!point) return nb::none();
    return nb::make_tuple(point->template_name, point->version, dict_of(point->config));
  }
  nb::dict measure(const std::string& template_name, int version, nb::handle config) {
    const Point point{template_name, version, config_from(config)};
    Supervised measuring(errors_);
    return dict_of(measuring.run([&] {
      const std::scoped_lock one_at_a_time(mutex_);
      return study_->measure(point);
    }));
  }
  void tell(const std::string& template_name, int version, nb::handle config, nb::handle result) {
    const Point point{template_name, version, config_from(config)};
    const Measurement told = measurement_from(result);
    const nb::gil_scoped_release unlocked;
    const std::scoped_lock one_at_a_time(mutex_);
    study_->tell(point, told);
  }

 private:
  SharedRunErrors errors_ = make_run_errors();
  std::unique_ptr<Study> study_;
  std::mutex mutex_;
};

}  // namespace

void bind_studies(nb::module_& m) {
  nb::class_<PythonStudy>(m, "_Study")
      .def(nb::init<const Workload&, const std::string&, const nb::dict&>())
      .def("ask", &PythonStudy::ask, nb::sig("def ask(self) -> tuple[str, int, dict[str, typing.Any]] | None"))
      .def("measure", &PythonStudy::measure)
      .def("tell", &PythonStudy::tell, nb::arg("template"), nb::arg("version"), nb::arg("config"),
           nb::arg("result").none());
  m.def("_target", [](const std::string& text) { return find_target(text).str(); }, nb::arg("text"));
  m.def("_space", space_of, nb::arg("workload"), nb::arg("target"));
}

}  // namespace nestwright::python
