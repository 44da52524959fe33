// Trains a network of 784-256-100-10 on the images of Fashion-MNIST (README.md).
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>

#include "dataset.h"
#include "network.h"
#include "support/json.h"

namespace {

struct Options {
  std::string data = "/usr/share/datasets/fashion-mnist", target = "host", database, tasks;
  int epochs = 10;
  std::int64_t batch = 1000;
  bool unscheduled = false;
};

/// The sum of `run` over all batches, of which the last may be smaller, divided by the number of images.
template <class F>
double average(mnist::Dataset& data, std::int64_t batch, const F& run) {
  const std::int64_t images = data.images.shape()[0], pixels = data.images.shape()[1];
  double sum = 0;
  for (std::int64_t at = 0; at < images; at += batch) {
    const std::int64_t rows = std::min(batch, images - at);
    sum += run(nestwright::ArrayView(&data.images.as<float>()[at * pixels], nestwright::kFloat32, {rows, pixels}),
               nestwright::ArrayView(&data.labels.as<std::int64_t>()[at], nestwright::kInt64, {rows}));
  }
  return sum / static_cast<double>(images);
}

int run(const Options& options) {
  mnist::Dataset training = mnist::read_dataset(options.data + "/train");
  mnist::Dataset testing = mnist::read_dataset(options.data + "/t10k");
  mnist::Compiler compiler(nestwright::Target::parse(options.target), options.database, options.unscheduled);
  mnist::Network network({training.images.shape()[1], 256, 100, 10}, compiler);
  const auto train = [&](const auto&... batch) { return network.train(batch...); };
  const auto test = [&](const auto&... batch) { return network.test(batch...); };
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    const auto start = std::chrono::steady_clock::now();
    const double loss = average(training, options.batch, train);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const double accuracy = average(testing, options.batch, test);
    std::printf("epoch %2d  loss %.4f  test accuracy %.2f%%  %.3f s\n", epoch, loss, 100 * accuracy, seconds.count());
    std::fflush(stdout);
  }
  for (const auto& [source, kernels] : compiler.sources()) std::printf("%d kernels: %s\n", kernels, source.c_str());
  if (options.tasks.empty()) return 0;
  nestwright::Json tasks = nestwright::Json::list();
  for (const auto& [expression, function] : compiler.functions()) tasks.push_back(expression);
  if (!(std::ofstream(options.tasks) << tasks.str() << std::endl)) throw nestwright::UsageError("no " + options.tasks);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a network on the images of Fashion-MNIST.");
  app.add_option("--data", options.data, "folder of the images")->capture_default_str();
  app.add_option("--db", options.database, "database of nestwright tune; none: default schedules");
  app.add_option("--tasks", options.tasks, "file to write the kernels' workloads to, for nestwright tune --file");
  app.add_option("--target", options.target, "as of nestwright tune")->capture_default_str();
  app.add_option("--epochs", options.epochs)->capture_default_str();
  app.add_option("--batch", options.batch, "images of a step")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_flag("--unscheduled", options.unscheduled, "plain loops instead of schedules");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "mnist: %s\n", e.what()), 1;
  }
}
