// Trains a network of 784-256-100-10 on the images of Fashion-MNIST and prints loss and accuracy; README.md describes
// it.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>

#include "dataset.h"
#include "network.h"
#include "support/json.h"

namespace {

using nestwright::ArrayView;

struct Options {
  std::string data = "/usr/share/datasets/fashion-mnist", database, tasks, target = "host";
  int epochs = 10;
  std::int64_t batch = 1000;
  float rate = 0.1F;
  bool unscheduled = false;
};

/// Calls `on_batch` with the images and the labels of each batch, of which the last may be smaller; returns the sum of
/// the results divided by the number of images.
template <class F>
double average(mnist::Dataset& data, std::int64_t batch, const F& on_batch) {
  double sum = 0;
  const std::int64_t pixels = data.images.shape()[1];
  for (std::int64_t at = 0; at < data.size(); at += batch) {
    const std::int64_t rows = std::min(batch, data.size() - at);
    sum += on_batch(ArrayView(data.images.as<float>().data() + at * pixels, nestwright::kFloat32, {rows, pixels}),
                    ArrayView(data.labels.as<std::int64_t>().data() + at, nestwright::kInt64, {rows}));
  }
  return sum / static_cast<double>(data.size());
}

void write_tasks(const std::string& file, const mnist::Compiler& compiler) {
  nestwright::Json entries = nestwright::Json::list();
  for (const auto& [expression, function] : compiler.functions()) entries.push_back(expression);
  if (!(std::ofstream(file) << entries.str() << "\n").flush()) throw nestwright::UsageError("cannot write " + file);
}

int run(const Options& options) {
  mnist::Dataset training = mnist::read_dataset(options.data + "/train");
  mnist::Dataset testing = mnist::read_dataset(options.data + "/t10k");
  mnist::Compiler compiler(nestwright::Target::parse(options.target), options.database, options.unscheduled);
  mnist::Network network({training.images.shape()[1], 256, 100, 10}, options.rate, compiler);
  const auto train = [&](const auto&... batch) { return network.train(batch...); };
  const auto test = [&](const auto&... batch) { return network.test(batch...); };
  average(testing, options.batch, test);  // compiles the kernels, as the first step of training does
  if (!options.tasks.empty()) {
    average(training, options.batch, train);
    write_tasks(options.tasks, compiler);
    return 0;
  }
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    const auto start = std::chrono::steady_clock::now();
    const double loss = average(training, options.batch, train);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const double accuracy = 100 * average(testing, options.batch, test);
    std::printf("epoch %2d  loss %.4f  test accuracy %.2f%%  %.3f s\n", epoch, loss, accuracy, seconds.count());
    std::fflush(stdout);
  }
  for (const auto& [source, kernels] : compiler.sources()) std::printf("%d kernels: %s\n", kernels, source.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Trains a network on the images of Fashion-MNIST.");
  app.add_option("--data", options.data, "folder of the images");
  app.add_option("--db", options.database, "database of nestwright tune; none: default schedules");
  app.add_option("--tasks", options.tasks, "write the graph's workloads for nestwright tune --file, and stop");
  app.add_option("--target", options.target, "as of nestwright tune");
  app.add_option("--epochs", options.epochs);
  app.add_option("--batch", options.batch, "images of a step")->check(CLI::PositiveNumber);
  app.add_option("--rate", options.rate, "learning rate");
  app.add_flag("--unscheduled", options.unscheduled, "plain loops instead of schedules");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(options);
  } catch (const std::exception& e) {
    return std::fprintf(stderr, "mnist: %s\n", e.what()), 1;
  }
}
