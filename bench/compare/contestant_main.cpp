// The process of one contestant: makes the product, checks its result once, then times it whenever it is asked to.
// Started by bench_matmul only, with its channel as descriptor 3 and the tensors as descriptor 4.
//   bench_contestant_<library> M N K THREADS [DATABASE]

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>
#include <limits>

#include "bench/compare/product.h"
#include "bench/compare/summary.h"
#include "bench/compare/tensors.h"
#include "runtime/array.h"
#include "support/channel.h"
#include "support/clock.h"
#include "support/error.h"
#include "support/wire.h"
#include "target/host.h"

namespace nestwright::bench {
namespace {

constexpr int kChannelFd = 3, kTensorFd = 4;
constexpr double kSample_ns = 22e6;  // some more than the 20 ms that are promised: the clock moves

double thread_cpu_ns() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

Sample take_sample(const std::function<void()>& call, std::int64_t calls) {
  const double cpu_start = thread_cpu_ns();
  const std::int64_t start = steady_clock().now_ns();
  for (std::int64_t i = 0; i < calls; ++i) call();
  const auto wall = static_cast<double>(steady_clock().now_ns() - start);
  return {wall / static_cast<double>(calls), (thread_cpu_ns() - cpu_start) / wall};
}

std::int64_t calls_of_a_sample(const std::function<void()>& call) {
  call();
  std::int64_t calls = 1;
  for (;; calls *= 2) {
    const double once_ns = take_sample(call, calls).time_ns;
    if (once_ns * static_cast<double>(calls) >= kSample_ns / 2) {
      return static_cast<std::int64_t>(kSample_ns / once_ns) + 1;
    }
  }
}

Array copy_of(std::span<const float> values) {
  Array array = Array::empty(kFloat32, {static_cast<std::int64_t>(values.size())});
  array.copy_from(std::as_bytes(values));
  return array;
}

int compete(const Problem& problem, int threads, const std::string& database, Channel& channel) {
  const TensorView tensors = map_tensors(kTensorFd, problem);
  const Array a = copy_of(tensors.a), b = copy_of(tensors.b);
  Array c = Array::empty(kFloat32, {problem.m, problem.n});
  std::fill(c.as<float>().begin(), c.as<float>().end(), std::numeric_limits<float>::quiet_NaN());
  const Product product =
      make_product({problem, threads, a.as<float>().data(), b.as<float>().data(), c.as<float>().data(), database});
  if (host_isa() == CpuIsa::kAvx512 && !product.runs_avx512) {
    throw Error(fmt::format("does not run its AVX-512 path ({}): a comparison would be unfair", product.detail));
  }
  std::fill(c.as<float>().begin(), c.as<float>().end(), std::numeric_limits<float>::quiet_NaN());
  product.call();
  const double error = largest_error_ratio(c.as<float>(), tensors);
  if (!(error <= 1))
    throw Error(fmt::format("wrong result: an error of {} times its bound ({})", error, product.detail));

  const std::int64_t calls = calls_of_a_sample(product.call);
  channel.send(Encoder().u8(1).bytes(product.detail).str());
  for (std::string request; channel.receive(request) == Channel::Status::kMessage;) {
    product.call();
    const Sample sample = take_sample(product.call, calls);
    if (!channel.send(Encoder().f64(sample.time_ns).f64(sample.cpu_share).str())) break;
  }
  return 0;
}

int run(int argc, char** argv) {
  // Also while it is stopped: then it would not see that the other end has gone.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (argc < 5) {
    fmt::print(stderr, "this is a part of bench/matmul: run that\n");
    return 2;
  }
  Channel channel{UniqueFd(kChannelFd)};
  try {
    return compete({std::stoi(argv[1]), std::stoi(argv[2]), std::stoi(argv[3])}, std::stoi(argv[4]),
                   argc > 5 ? argv[5] : "", channel);
  } catch (const std::exception& e) {
    channel.send(Encoder().u8(0).bytes(e.what()).str());
    return 1;
  }
}

}  // namespace

double quick_time_ns(const std::function<void()>& call) {
  const std::int64_t calls = calls_of_a_sample(call);
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) times.push_back(take_sample(call, calls).time_ns);
  std::nth_element(times.begin(), times.begin() + 2, times.end());
  return times[2];
}

}  // namespace nestwright::bench

int main(int argc, char** argv) { return nestwright::bench::run(argc, argv); }
