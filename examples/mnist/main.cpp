// Trains a network of 784-256-100-10 on the images of Fashion-MNIST (README.md).
#include <zlib.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "trainer.h"

namespace {

using namespace nestwright;

/// Reads bytes. The file has two zeros, 8 (for bytes), the number of dimensions, and their extents, the high byte
/// first.
Array read_bytes(const std::string& file, std::size_t dimensions) {
  const std::unique_ptr<gzFile_s, decltype(&gzclose)> stream(gzopen(file.c_str(), "rb"), gzclose);
  if (!stream) throw UsageError("file '" + file + "' cannot be read: install dataset-fashion-mnist, or give --data");
  std::vector<std::uint8_t> header(4 + 4 * dimensions);
  bool is_right = gzfread(header.data(), 1, header.size(), stream.get()) == header.size() && header[3] == dimensions;
  std::vector<std::int64_t> shape;
  for (std::size_t at = 4; at < header.size(); at += 4) {
    shape.push_back(header[at] << 24 | header[at + 1] << 16 | header[at + 2] << 8 | header[at + 3]);
  }
  Array bytes = Array::empty(kUInt8, is_right ? shape : std::vector<std::int64_t>{0});
  is_right = is_right && gzfread(bytes.data(), 1, bytes.size_bytes(), stream.get()) == bytes.size_bytes();
  if (!is_right) throw UsageError("file '" + file + "' does not have the format of MNIST's files, or is not complete");
  return bytes;
}

struct Dataset {
  Array images;  ///< float32[n, rows * columns], from 0 to 1
  Array labels;  ///< int64[n]

  explicit Dataset(const std::string& prefix) {
    const Array pixels = read_bytes(prefix + "-images-idx3-ubyte.gz", 3);
    const Array bytes = read_bytes(prefix + "-labels-idx1-ubyte.gz", 1);
    const std::int64_t n = bytes.elements();
    if (n == 0 || n != pixels.shape()[0]) throw UsageError("'" + prefix + "' does not have one label for each image");
    images = Array::empty(kFloat32, {n, pixels.elements() / n});
    labels = Array::empty(kInt64, {n});
    std::ranges::transform(pixels.as<std::uint8_t>(), images.as<float>().begin(), [](int x) { return x / 255.0F; });
    std::ranges::copy(bytes.as<std::uint8_t>(), labels.as<std::int64_t>().begin());
  }

  /// The sum of `run` over all batches, of which the last may be smaller, divided by the number of images.
  double average(std::int64_t batch, const auto& run) {
    const std::int64_t n = images.shape()[0], pixels = images.shape()[1];
    double sum = 0;
    for (std::int64_t at = 0; at < n; at += batch) {
      const std::int64_t rows = std::min(batch, n - at);
      sum += run(ArrayView(&images.as<float>()[at * pixels], kFloat32, {rows, pixels}),
                 ArrayView(&labels.as<std::int64_t>()[at], kInt64, {rows}));
    }
    return sum / static_cast<double>(n);
  }
};

}  // namespace

int main(int argc, char** argv) try {
  std::string data = "/usr/share/datasets/fashion-mnist", database, tasks_file;
  std::int64_t epochs = 10, batch = 1000;
  bool unscheduled = false;
  CLI::App app("Trains a network on the images of Fashion-MNIST.");
  app.add_option("--data", data, "folder of the images")->capture_default_str();
  app.add_option("--db", database, "database of nestwright tune; none: default schedules");
  app.add_option("--tasks", tasks_file, "file to write the kernels' workloads to, for nestwright tune --file");
  app.add_option("--epochs", epochs)->capture_default_str();
  app.add_option("--batch", batch, "images of a step")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_flag("--unscheduled", unscheduled, "plain loops instead of schedules");
  CLI11_PARSE(app, argc, argv);

  Dataset training(data + "/train"), testing(data + "/t10k");
  std::optional<TuningLog> log;
  if (!database.empty()) log = TuningLog::open(database, OpenMode::kRead);
  mnist::Trainer trainer({training.images.shape()[1], 256, 100, 10}, log ? &*log : nullptr, unscheduled);
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const auto start = std::chrono::steady_clock::now();
    const double loss = training.average(batch, [&](auto&&... tensors) { return trainer.train(tensors...); });
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const double right = testing.average(batch, [&](auto&&... tensors) { return trainer.test(tensors...); });
    std::printf("epoch %2d  loss %.4f  test accuracy %.2f%%  %.3f s\n", epoch, loss, 100 * right, seconds.count());
    std::fflush(stdout);
  }
  const auto is_tuned = [&](const std::string& workload) {
    if (!log || unscheduled) return false;
    return look_up(Task{workload_of(workload), Target::host()}, &*log).match != MatchKind::kDefault;
  };
  const std::set<std::string>& workloads = trainer.workloads();
  std::printf("%td of %zu kernels are tuned\n", std::ranges::count_if(workloads, is_tuned), workloads.size());
  if (tasks_file.empty()) return 0;
  const nlohmann::json tasks(workloads);
  if (!(std::ofstream(tasks_file) << tasks.dump(2) << std::endl)) throw UsageError("cannot write '" + tasks_file + "'");
} catch (const std::exception& e) {
  return std::fprintf(stderr, "mnist: %s\n", e.what()), 1;
}
