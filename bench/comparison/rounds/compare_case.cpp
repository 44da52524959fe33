#include "bench/comparison/rounds/compare_case.h"

#include <fmt/format.h>

#include <cstdio>

#include "bench/comparison/results/roofline.h"
#include "bench/comparison/rounds/rounds.h"
#include "bench/comparison/timing/library_environment.h"
#include "measure/run/tensor_file.h"
#include "nestwright/registry.h"
#include "nestwright/tune.h"
#include "search/task/check_data.h"
#include "target/measured/peak.h"

namespace nestwright::bench {
namespace {

TuningSummary tune(const Workload& workload, const Case& subject, const Options& options) {
  Task task{workload, Target::host(), options.caches == Caches::kCold ? CacheState::kCold : CacheState::kWarm};
  task.target.threads = subject.threads;
  templates_for(task.workload, task.target, options.template_name);  // throws before a database is created
  TuningLog log = TuningLog::open(options.db, OpenMode::kWrite);
  fmt::print(stderr, "tuning {} with threads={} for {} s ...\n", workload.str(), subject.threads, options.seconds);
  const SessionResult result = run_session(
      task, log,
      {.budget = {.seconds = options.seconds}, .template_name = options.template_name, .seed = options.seed});
  fmt::print(stderr, "  {} trials in {:.1f} s, {} before; best {:.1f} GFLOP/s\n", result.trials, result.seconds,
             result.earlier_trials, result.best ? result.best->gflops() : 0);
  return {options.seconds, result.trials, result.earlier_trials};
}

}  // namespace

Case make_case(const std::string& label, const Workload& workload, int threads, Weights weights) {
  const Definition definition = *workload.definition;
  return {.label = label,
          .workload = workload.str(),
          .threads = threads,
          .weights = weights,
          .flops = definition.flops,
          .bytes = definition.bytes,
          .peak_scale = measure_peak_scale(definition.args.at(0).dtype())};
}

Comparison compare_case(const Case& subject, const Options& options, const Field& field, const std::string& folder) {
  Comparison comparison{.subject = subject, .rounds_asked = options.rounds};
  const std::optional<Workload> ours = workload_of_ours(parse_workload(subject.workload), subject.weights);
  if (options.seconds > 0 && ours) comparison.tuning = tune(*ours, subject, options);

  const TensorFile tensors(make_check_data(parse_workload(subject.workload)));
  const ContestRequest request{subject.workload, subject.threads, subject.weights,       options.pages,
                               options.caches,   options.db,      options.template_name, tensors.layout()};
  set_library_environment(subject.threads);
  const Pinned pinned(subject.threads);
  CopyControl copy(static_cast<std::int64_t>(subject.bytes), subject.threads, options.pages, options.caches);
  std::vector<Contestant> contestants;
  contestants.emplace_back(ourselves(), folder, request, tensors.fd());
  for (const Competitor& library : field.libraries) contestants.emplace_back(library, folder, request, tensors.fd());
  run_rounds(comparison, contestants, copy, options.seed);
  return comparison;
}

}  // namespace nestwright::bench
