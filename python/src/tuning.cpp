// Tuning sessions, studies, lookups and exports.
#include "nestwright/tune.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <mutex>

#include "bindings.h"
#include "conversions.h"
#include "forks.h"
#include "functions.h"
#include "nestwright/device.h"
#include "nestwright/error.h"
#include "nestwright/export.h"
#include "records.h"
#include "supervised.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

/// The context of a task of the run with these errors.
TaskContext context_of(const SharedRunErrors& errors, const Workload& workload, const std::string& target,
                       const std::string& caches) {
  const Target found = find_target(target);
  const bool is_device = found.device != DeviceKind::kCpu;
  const CacheState state =
      caches.empty() ? (is_device ? CacheState::kCold : CacheState::kWarm) : parse_cache_state(caches);
  if (is_device && state != CacheState::kCold)
    throw UsageError("kernels of devices are always timed with cold caches: leave caches out");
  return Task{with_errors(workload, errors), found, state};
}

/// Keyword arguments of the package, of which those that are None are not given.
class Arguments {
 public:
  explicit Arguments(const nb::dict& given) : given_(given) {}

  nb::object find(const char* name) const {
    if (!given_.contains(name) || given_[name].is_none()) return {};
    return given_[name];
  }
  std::string text(const char* name) const {
    const nb::object given = find(name);
    return given ? text_from(given, name) : "";
  }
  /// An integer from `low` to `high`, or the fallback. Throws TypeError, UsageError.
  template <class Integer>
  Integer integer(const char* name, Integer fallback, std::int64_t low, std::int64_t high) const {
    const nb::object given = find(name);
    if (!given) return fallback;
    const std::int64_t value = integer_from(given, name);
    if (value >= low && value <= high) return static_cast<Integer>(value);
    throw UsageError(std::string(name) + ": give an integer from " + std::to_string(low) + " to " +
                     std::to_string(high) + ", not " + std::to_string(value));
  }
  /// A number above `low`, or `low` itself, up to `high`.
  double number(const char* name, double fallback, double low, double high, const char* legal) const {
    const nb::object given = find(name);
    if (!given) return fallback;
    const double value = number_from(given, name);
    if (value >= low && value <= high) return value;
    throw UsageError(std::string(name) + ": give " + legal + ", not " + nb::cast<std::string>(nb::str(given)));
  }

 private:
  const nb::dict& given_;
};

/// What a session is to do.
SessionOptions options_from(const nb::dict& given) {
  constexpr std::int64_t kMostTrials = 1'000'000'000;
  const Arguments arguments(given);
  Budget budget;
  budget.trials = arguments.integer("trials", std::int64_t{0}, 1, kMostTrials);
  budget.seconds = arguments.number("seconds", 0, 1e-9, 1e9, "a number of seconds above 0");
  budget.early_stop = arguments.integer("early_stop", std::int64_t{0}, 1, kMostTrials);
  const std::string effort = arguments.text("effort");
  SessionOptions options = session_options(effort.empty() ? Effort::kNormal : parse_effort(effort), budget);
  options.budget.until_gain =
      arguments.number("until_gain", options.budget.until_gain, 0, 1, "a share from 0 to 1, as 0.01");
  if (const std::string strategy = arguments.text("strategy"); !strategy.empty()) options.strategy = strategy;
  if (const std::string model = arguments.text("cost_model"); !model.empty()) options.cost_model = model;
  options.template_name = arguments.text("template");
  options.seed = arguments.integer("seed", options.seed, 0, std::numeric_limits<std::int64_t>::max());
  options.batch_size = arguments.integer("batch_size", options.batch_size, 1, 256);
  options.finalists = arguments.integer("finalists", options.finalists, 0, 64);
  options.builders = arguments.integer("builders", options.builders, 1, 256);
  if (const nb::object fixed = arguments.find("fixed")) options.restriction.fixed = config_from(fixed);
  if (const nb::object conditions = arguments.find("restrictions")) {
    for (nb::handle condition : nb::borrow<nb::sequence>(conditions)) {
      options.restriction.only.push_back(KnobCondition::parse(text_from(condition, "restrictions")));
    }
  }
  return options;
}

nb::dict dict_of_outcomes(const std::map<Outcome, std::int64_t>& outcomes) {
  nb::dict dict;
  for (const auto& [outcome, count] : outcomes) dict[outcome_name(outcome)] = count;
  return dict;
}

nb::dict dict_of_result(const SessionResult& result) {
  nb::dict dict;
  dict["best"] = result.best ? nb::object(dict_of(*result.best)) : nb::none();
  dict["default"] = result.default_timing ? nb::object(dict_of(*result.default_timing)) : nb::none();
  dict["trial_count"] = result.trials;
  dict["earlier_trials"] = result.earlier_trials;
  dict["outcomes"] = dict_of_outcomes(result.outcomes);
  dict["race_disturbance"] = result.race_disturbance;
  dict["first_failure"] = result.first_failure;
  dict["seconds"] = result.seconds;
  dict["seconds_to_best"] = result.seconds_to_best;
  dict["stop_reason"] = result.stop_reason;
  dict["interrupted"] = result.interrupted;
  return dict;
}

nb::dict tune(const Workload& workload, const std::string& database, const std::string& target,
              const std::string& caches, const nb::dict& given, nb::object on_progress) {
  require_threads();
  const SessionOptions options = options_from(given);
  Supervised session(std::move(on_progress), Supervised::Interruption::kKeepsTheResult);
  return dict_of_result(session.run([&] {
    const TaskContext context = context_of(session.errors(), workload, target, caches);
    context.templates(options.template_name);  // throws before a database is created
    TuningLog log = TuningLog::open(database, OpenMode::kWrite);
    return run_session(context, log, options, &session.interrupt(),
                       [&](const Progress& progress) { session.report(progress); });
  }));
}

/// A class or a function of the package.
nb::object of_package(const char* name) { return nb::module_::import_("nestwright._results").attr(name); }

/// A tuned kernel of this process.
class PythonKernel : public PythonFunction {
 public:
  PythonKernel(Workload workload, SharedRunErrors errors, TaskContext context, Lookup found, Function function)
      : PythonFunction(std::move(function)),
        workload_(std::move(workload)),
        errors_(std::move(errors)),
        context_(std::move(context)),
        found_(std::move(found)) {}
  const Workload& workload() const { return workload_; }
  /// Of the context's templates.
  const SharedRunErrors& errors() const { return errors_; }
  const TaskContext& context() const { return context_; }
  const Task& task() const { return context_.task(); }
  const Lookup& found() const { return found_; }

 private:
  Workload workload_;
  SharedRunErrors errors_;
  TaskContext context_;
  Lookup found_;
};

/// The configuration that the caller gives, completed by nothing: all knobs, of the template named or of the first that
/// has such a point.
Lookup given_point(const TaskContext& context, const Config& config, const std::string& only) {
  std::string why;
  for (const Template* source : context.templates(only)) {
    try {
      const ConfigSpace& space = context.space(*source);
      const Config resolved = space.resolve(config);
      why = space.why_invalid(resolved);
      if (why.empty()) return {.match = MatchKind::kGiven, .source = source, .config = resolved};
    } catch (const UsageError& e) {
      why = e.what();
    }
  }
  throw UsageError("no template has the configuration " + config.str() + ": " + why);
}

Lookup find(const TaskContext& context, const std::optional<std::string>& database, const std::string& only,
            const Config& config) {
  if (!config.entries().empty()) return given_point(context, config, only);
  if (!database) return look_up(context, nullptr, only);
  const TuningLog log = TuningLog::open(*database, OpenMode::kRead);
  return look_up(context, &log, only);
}

PythonKernel load(const Workload& workload, const std::optional<std::string>& database, const std::string& target,
                  const std::string& caches, const std::string& only, nb::handle config) {
  require_threads();
  const Config given = config_from(config);
  struct Loaded {
    TaskContext context;
    Lookup found;
    Function function;
  };
  Supervised loading;
  Loaded loaded = loading.run([&] {
    const TaskContext context = context_of(loading.errors(), workload, target, caches);
    Lookup found = find(context, database, only, given);
    Function function =
        build(program_of(context.task(), *found.source, found.config, kernel_name(workload)), context.target());
    return Loaded{context, std::move(found), std::move(function)};
  });
  return {workload, loading.errors(), std::move(loaded.context), std::move(loaded.found), std::move(loaded.function)};
}

/// Checks and times the configuration as it is exported. nullopt, with the reason, where this machine cannot run it.
/// Throws Error where its result is wrong or it fails.
std::optional<Measurement> check_before_export(const PythonKernel& kernel, std::string& why_not) {
  Supervised checking(kernel.errors());
  std::optional<Measurement> checked;
  try {
    checked = checking
                  .run([&] {
                    return measure_beside(kernel.context(), {kernel.found()}, Effort::kQuick,
                                          [&] { return checking.interrupt().load(); });
                  })
                  .front();
  } catch (const UsageError& e) {
    why_not = e.what();
    return std::nullopt;
  }
  if (checked->outcome == Outcome::kOk && checked->evidence.verified) return checked;
  throw Error("the kernel of " + kernel.task().workload.str() +
              " is not exported, because it failed when it was run (" + outcome_name(checked->outcome) + ": " +
              checked->message + "): choose another configuration");
}

nb::object export_to(const PythonKernel& kernel, nb::handle folder, const std::string& name, bool check) {
  const auto directory = nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(folder));
  require_threads();
  std::string why_not = check ? "" : "it was not asked for";
  const std::optional<Measurement> checked = check ? check_before_export(kernel, why_not) : std::nullopt;
  const ExportResult result = [&] {
    const nb::gil_scoped_release unlocked;
    return export_kernel(kernel.task(), kernel.found(), {.directory = directory, .name = name});
  }();
  nb::dict dict;
  dict["name"] = result.name;
  dict["symbol"] = result.symbol;
  dict["files"] = result.files;
  dict["check"] = checked ? of_package("Measurement")(**dict_of(*checked)) : nb::none();
  dict["why_not_checked"] = why_not;
  return of_package("Export")(**dict);
}

nb::object record_of(const PythonKernel& kernel) {
  const std::optional<BestRecord>& record = kernel.found().record;
  return record ? of_package("record_of")(dict_of(*record)) : nb::none();
}

nb::list measure(const Workload& workload, nb::handle configurations, const std::string& target,
                 const std::string& caches, const std::string& only, const std::string& effort,
                 const std::optional<std::string>& database) {
  require_threads();
  std::vector<Config> configs;
  for (nb::handle each : nb::borrow<nb::sequence>(configurations)) configs.push_back(config_from(each));
  Supervised measuring;
  const std::vector<Measurement> measured = measuring.run([&] {
    const TaskContext context = context_of(measuring.errors(), workload, target, caches);
    std::vector<Lookup> sides;
    for (const Config& config : configs) sides.push_back(find(context, database, only, config));
    return measure_beside(context, sides, parse_effort(effort), [&] { return measuring.interrupt().load(); });
  });
  nb::list list;
  for (const Measurement& each : measured) list.append(dict_of(each));
  return list;
}

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

void bind_tuning(nb::module_& m) {
  nb::class_<PythonKernel, PythonFunction>(m, "Kernel",
                                           "A kernel with the configuration that was found for its workload.")
      .def_prop_ro(
          "match", [](const PythonKernel& k) { return match_name(k.found().match); },
          "How the record matches: exact, other_machine, nearest, default, or given.")
      .def_prop_ro("workload", [](const PythonKernel& k) { return k.workload(); })
      .def_prop_ro("target", [](const PythonKernel& k) { return k.task().target.str(); })
      .def_prop_ro("template", [](const PythonKernel& k) { return k.found().source->name; })
      .def_prop_ro(
          "config", [](const PythonKernel& k) { return dict_of(k.found().config); },
          nb::sig("def config(self) -> dict[str, typing.Any]"), "The value of each knob.")
      .def_prop_ro(
          "hint", [](const PythonKernel& k) { return k.found().hint; },
          "Why the record is only a hint; \"\": it is current.")
      .def_prop_ro(
          "why_default", [](const PythonKernel& k) { return k.found().why_default; },
          "Why no record was used; \"\" where one was.")
      .def_prop_ro("record", record_of, nb::sig("def record(self) -> nestwright._results.Record | None"),
                   "The record that the configuration comes from; None for the default.")
      .def(
          "export", export_to, nb::arg("directory"), nb::arg("name") = "", nb::arg("check") = true,
          nb::sig("def export(self, directory: str | os.PathLike[str], name: str = '', check: bool = True) -> "
                  "nestwright._results.Export"),
          "Writes the kernel as a C library that does not depend on nestwright: header, libraries, object, manifest, "
          "CMake package and self-test. directory: created if it is missing. name: of the function and the files, a C "
          "identifier; '': derived from the workload. check: compares the kernel's result with the reference and times "
          "it before anything is written. Needs a C compiler. Raises Error where the result is wrong.");
  nb::class_<PythonStudy>(m, "_Study")
      .def(nb::init<const Workload&, const std::string&, const nb::dict&>())
      .def("ask", &PythonStudy::ask, nb::sig("def ask(self) -> tuple[str, int, dict[str, typing.Any]] | None"))
      .def("measure", &PythonStudy::measure)
      .def("tell", &PythonStudy::tell, nb::arg("template"), nb::arg("version"), nb::arg("config"),
           nb::arg("result").none());
  m.def("_tune", tune, nb::arg("workload"), nb::arg("database"), nb::arg("target"), nb::arg("caches"),
        nb::arg("options"), nb::arg("on_progress").none());
  m.def("_check_options", [](const nb::dict& options) { options_from(options); }, nb::arg("options"));
  m.def("_load", load, nb::arg("workload"), nb::arg("database").none(), nb::arg("target"), nb::arg("caches"),
        nb::arg("template"), nb::arg("config").none());
  m.def("_measure", measure, nb::arg("workload"), nb::arg("configurations"), nb::arg("target"), nb::arg("caches"),
        nb::arg("template"), nb::arg("effort"), nb::arg("database").none());
  m.def("_target", [](const std::string& text) { return find_target(text).str(); }, nb::arg("text"));
  m.def("_space", space_of, nb::arg("workload"), nb::arg("target"));
}

}  // namespace nestwright::python
