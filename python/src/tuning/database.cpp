// Queries of the database. Each opens it for its own time, so that nothing is held between calls.
#include "nestwright/database.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"
#include "conversions.h"
#include "nestwright/error.h"
#include "nestwright/lookup.h"
#include "tuning/records.h"

namespace nb = nanobind;

namespace nestwright::python {
namespace {

/// Returns the filter of a workload's text, an operator's name and a target's text; "" matches any.
TaskFilter filter_from(const std::string& workload, const std::string& op, const std::string& target) {
  TaskFilter filter;
  filter.workload = workload;
  filter.op = op;
  filter.target = target;
  return filter;
}

template <class Record>
nb::list list_of(const std::vector<Record>& records) {
  nb::list list;
  for (const Record& record : records) list.append(dict_of(record));
  return list;
}

/// Calls `query` with the open database, without the interpreter's lock.
template <class Query>
auto ask(const std::string& path, const Query& query) {
  const nb::gil_scoped_release unlocked;
  const TuningLog log = TuningLog::open(path, OpenMode::kRead);
  return query(log);
}

}  // namespace

void bind_database(nb::module_& m) {
  m.def("_trials", [](const std::string& path, const std::string& workload, const std::string& op,
                      const std::string& target, std::int64_t limit) {
    const TaskFilter filter = filter_from(workload, op, target);
    return list_of(ask(path, [&](const TuningLog& log) { return log.trials(filter, limit); }));
  });
  m.def("_top", [](const std::string& path, const std::string& workload, const std::string& op,
                   const std::string& target, int count) {
    const TaskFilter filter = filter_from(workload, op, target);
    return list_of(ask(path, [&](const TuningLog& log) { return log.top(filter, count); }));
  });
  m.def("_list", [](const std::string& path, const std::string& op, const std::string& target) {
    const TaskFilter filter = filter_from("", op, target);
    return list_of(ask(path, [&](const TuningLog& log) { return log.list(filter); }));
  });
}

}  // namespace nestwright::python
