// Calls the best known kernel for a workload in this process:  apply_best [DATABASE]
// Without a database, or where it has no kernel that fits, this is the template's default.
#include <chrono>
#include <cstdio>
#include <exception>

#include <nestwright/nestwright.h>

using namespace nestwright;

namespace {

int run(const char* database) {
  constexpr int kSize = 256;
  const AppliedKernel matmul = apply_best(parse_workload("matmul m=256 n=256 k=256 tb=1"), Target::host(), database);
  std::printf("match %s, configuration %s\n", match_name(matmul.found.match), matmul.found.config.str().c_str());

  Array a = Array::empty(kFloat32, {kSize, kSize}), b = Array::empty(kFloat32, {kSize, kSize}),
        c = Array::empty(kFloat32, {kSize, kSize});
  for (float& x : a.as<float>()) x = 0.5F;
  for (float& x : b.as<float>()) x = 2.0F;
  matmul.function(a, b, c);
  for (const float x : c.as<float>()) {
    if (x != kSize) return 1;  // each element is the sum of kSize ones
  }

  using Clock = std::chrono::steady_clock;
  constexpr int kCalls = 20;
  const Clock::time_point start = Clock::now();
  for (int call = 0; call < kCalls; ++call) matmul.function(a, b, c);
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count() / kCalls;
  std::printf("right; about %.0f us a call\n", seconds * 1e6);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc > 1 ? argv[1] : "");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
