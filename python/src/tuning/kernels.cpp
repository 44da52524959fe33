// Kernels with the configurations that were found for them: loading, exporting, measuring.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "conversions.h"
#include "forks.h"
#include "functions.h"
#include "nestwright/error.h"
#include "nestwright/export.h"
#include "tuning/options.h"
#include "tuning/records.h"
#include "tuning/supervised.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

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

}  // namespace

void bind_kernels(nb::module_& m) {
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
  m.def("_load", load, nb::arg("workload"), nb::arg("database").none(), nb::arg("target"), nb::arg("caches"),
        nb::arg("template"), nb::arg("config").none());
  m.def("_measure", measure, nb::arg("workload"), nb::arg("configurations"), nb::arg("target"), nb::arg("caches"),
        nb::arg("template"), nb::arg("effort"), nb::arg("database").none());
}

}  // namespace nestwright::python
