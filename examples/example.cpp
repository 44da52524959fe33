#include "example.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>

namespace nestwright::examples {
namespace {

/// Microseconds per call: the median over several batches, each long enough to be timed accurately.
double time_calls(const std::function<void()>& call) {
  using Clock = std::chrono::steady_clock;
  const auto batch = [&](int calls) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / calls;
  };
  constexpr double kBatchMicroseconds = 20000;
  constexpr int kBatches = 15;
  const int calls = std::clamp(static_cast<int>(kBatchMicroseconds / batch(1)), 1, 1000000);
  std::vector<double> times;
  for (int i = 0; i < kBatches; ++i) times.push_back(batch(calls));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

/// The largest difference, relative to the largest element.
double error_of(const Array& result, const Array& expected) {
  double largest = 0, scale = 0;
  const auto a = result.as<const float>(), b = expected.as<const float>();
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double difference = std::fabs(double{a[i]} - double{b[i]});
    largest = std::isnan(difference) ? INFINITY : std::max(largest, difference);
    scale = std::max(scale, std::fabs(double{b[i]}));
  }
  return scale > 0 ? largest / scale : largest;
}

Schedule default_schedule(const Args& args) {
  std::vector<Tensor> outputs;
  for (const Arg& arg : args) {
    if (!arg.tensor.op().is_placeholder()) outputs.push_back(arg.tensor);
  }
  return create_schedule(outputs);
}

}  // namespace

void Example::show(const std::string& title, const Schedule& schedule, const Args& args, const Target& target) {
  std::printf("== %s\n%s\n", title.c_str(), to_string(lower(schedule, args, target, "main")).c_str());
}

void Example::run(const std::string& title, const Schedule& schedule, const Args& args,
                  const std::vector<const Array*>& inputs, const Array& expected, double tolerance,
                  const std::string& workload) {
  show(title, schedule, args);
  const auto call_schedule = [&](const Schedule& s, const std::string& what) {
    return call(build(s, args, Target::host(), "main"), inputs, expected, tolerance, what);
  };
  const double by_default = call_schedule(default_schedule(args), title + ", default");
  const double given = call_schedule(schedule, title);
  if (!options_.time) return;
  std::printf("time: %-40s default %10.1f us, given %10.1f us, ratio %.1f", title.c_str(), by_default, given,
              by_default / given);
  if (!options_.database.empty() && !workload.empty()) {
    const AppliedKernel best = apply_best(parse_workload(workload), Target::host(), options_.database);
    const double tuned = call(best.function, inputs, expected, tolerance, title + ", tuned");
    std::printf(", tuned (%s) %10.1f us, ratio %.1f", match_name(best.found.match), tuned, by_default / tuned);
  }
  std::printf("\n\n");
}

double Example::call(const Function& function, const std::vector<const Array*>& inputs, const Array& expected,
                     double tolerance, const std::string& title) {
  Array result = Array::empty(kFloat32, expected.shape());
  result.fill_bytes(0xff);  // NaN, so that unwritten elements are detected
  std::vector<ArrayRef> arguments;
  for (const Array* input : inputs) arguments.emplace_back(*input);
  arguments.emplace_back(result);
  function.call(arguments);
  if (const double error = error_of(result, expected); !(error <= tolerance)) {
    std::printf("%s is wrong: the largest relative error is %g\n", title.c_str(), error);
    ++failures_;
  }
  return options_.time ? time_calls([&] { function.call(arguments); }) : 0;
}

void Example::check(const std::string& what, bool right) {
  if (right) return;
  std::printf("%s is wrong\n", what.c_str());
  ++failures_;
}

void Example::refused(const std::string& title, const std::function<void()>& misuse) {
  try {
    misuse();
  } catch (const Error& e) {
    std::printf("== %s\nrefused: %s\n\n", title.c_str(), e.what());
    return;
  }
  std::printf("%s was not refused\n", title.c_str());
  ++failures_;
}

Array filled(std::vector<std::int64_t> shape, const std::function<double(std::int64_t)>& element) {
  Array array = Array::empty(kFloat32, std::move(shape));
  std::int64_t position = 0;
  for (float& value : array.as<float>()) value = static_cast<float>(element(position++));
  return array;
}

Array numbers(std::vector<std::int64_t> shape) {
  return filled(std::move(shape), [](std::int64_t i) { return static_cast<double>(i * 37 % 101 % 9 - 4); });
}

int main_of(int argc, char** argv, const std::function<void(Example&)>& body) {
  CLI::App app("Prints the loops of its programs, runs them and holds the results against plain ones.", argv[0]);
  Options options;
  CLI::Option* const time = app.add_flag("--time", options.time, "the times of the default and of the given schedules");
  app.add_option("--db", options.database,
                 "what `nestwright tune` wrote: beside them, the times of the best configurations there")
      ->needs(time)
      ->check(CLI::ExistingFile);
  CLI11_PARSE(app, argc, argv);
  try {
    Example example(options);
    body(example);
    return example.result();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}

}  // namespace nestwright::examples
