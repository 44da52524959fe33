// Candidates checked and timed on devices, through the real worker: OpenCL kernels with one planted fault each, and a
// fake CUDA driver (tests/runtime/fake_cuda.c).
#include <gmock/gmock.h>

#include <filesystem>

#include "ir/serialize/serialize.h"
#include "measure/build/builder.h"
#include "nestwright/device.h"
#include "nestwright/error.h"
#include "tests/measure/planted.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::int64_t kElements = 1000;

/// A program whose kernel `name` computes A + B = C in blocks of 8, with a workspace after the parameters if
/// `with_workspace`.
ir::Program addition_program(const std::string& name, bool with_workspace = false) {
  const ir::Buffer a("A", kFloat32, {kElements}), b("B", kFloat32, {kElements}), c("C", kFloat32, {kElements}),
      w("W", kFloat32, {kElements});
  const ir::Var block("block"), thread("thread");
  const ir::Expr i = ir::Expr(block) * 8 + thread;
  const ir::Expr sum = ir::make_load(a, {i}) + ir::make_load(b, {i});
  ir::Stmt body = ir::make_store(c, {i}, sum);
  if (with_workspace) body = ir::block({ir::make_store(w, {i}, sum), ir::make_store(c, {i}, ir::make_load(w, {i}))});
  ir::Program program;
  program.name = "addition";
  program.parameters = {{a, ir::Role::kInput}, {b, ir::Role::kInput}, {c, ir::Role::kOutput}};
  program.kernels = {{name, ir::make_for(block, 0, kElements / 8, ir::LoopKind::kBlockX,
                                         ir::make_for(thread, 0, 8, ir::LoopKind::kThreadX, body))}};
  program.host = ir::make_launch(0);
  if (with_workspace) program.host = ir::make_allocate(w, program.host);
  return program;
}

/// The launches of that program, serialised.
std::string launches(const std::string& name, bool with_workspace = false) {
  return ir::serialize(addition_program(name, with_workspace));
}

/// An OpenCL kernel with this body; i is the number of its element.
CompiledObject opencl(const std::string& body, bool with_workspace = false) {
  CompiledObject object;
  object.object = "__kernel void add(__global float* A, __global float* B, __global float* C";
  if (with_workspace) object.object += ", __global float* W";
  object.object += ") { const int i = get_global_id(0); " + body + " }";
  object.launches = launches("add", with_workspace);
  return object;
}

CompiledObject cuda(const std::string& kernel, const std::string& code = "code") {
  CompiledObject object;
  object.object = code;
  object.launches = launches(kernel);
  return object;
}

constexpr const char* kAdd = "C[i] = A[i] + B[i];";

std::unique_ptr<Runner> device_runner(const char* target, double timeout_s = 20,
                                      const CheckData& data = addition(kElements)) {
  use_worker(WORKER);
  setenv("NESTWRIGHT_CUDA_DRIVER", FAKE_CUDA, 1);
  setenv("NESTWRIGHT_NVML", FAKE_CUDA, 1);
  RunnerOptions options;
  options.target = Target::parse(target);
  options.timeout_s = timeout_s;
  options.device_compare_bytes = 0;
  options.timing.rounds = {2};
  options.timing.enough_ns = 50e6;  // two samples of 20 ms
  options.timing.finalist_processes = options.timing.max_finalist_processes = 1;
  options.timing.finalist_samples = 3;
  return make_local_runner(data, options);
}

std::vector<Measurement> run(Runner& runner, const std::vector<CompiledObject>& objects) {
  std::vector<Contender> contenders;
  for (const CompiledObject& object : objects) contenders.push_back({&object});
  return runner.run(contenders, std::nullopt).measurements;
}

#ifdef WITH_OPENCL
TEST(DeviceBench, ARightKernelIsVerifiedAndTimed) {
  const auto runner = device_runner("opencl");
  const CompiledObject plain = opencl(kAdd), through = opencl("W[i] = A[i] + B[i]; C[i] = W[i];", true);
  for (const Measurement& m : run(*runner, {plain, through})) {
    EXPECT_EQ(m.outcome, Outcome::kOk) << m.message;
    EXPECT_TRUE(m.evidence.verified);
    EXPECT_GT(m.timing.median_ns, 0);
    EXPECT_GE(m.timing.samples_ns.size(), 2u);
    EXPECT_TRUE(m.timing.fma_ns.empty()) << "no sentinel of the host sees what disturbs a device";
    EXPECT_TRUE(m.timing.walk_ns.empty());
    EXPECT_FALSE(m.timing.is_disturbed());
  }
  const Measurement again = runner->race({{&plain}})[0];
  EXPECT_EQ(again.outcome, Outcome::kOk) << again.message;
  EXPECT_GT(again.timing.median_ns, 0);
}

TEST(DeviceBench, FromALoopFormToAVerifiedTime) {
  use_worker(WORKER);
  const Target target = Target::parse("opencl");
  const auto built = make_local_builder(target, {.processes = 1})
                         ->build({addition_program("add"), addition_program("add", true)}, Pipeline::kSearch);
  const auto runner = device_runner("opencl");
  for (const BuildResult& result : built) {
    ASSERT_EQ(result.outcome, Outcome::kOk) << result.message;
    EXPECT_NE(result.object.code_fingerprint, "");
    const Measurement m = run(*runner, {result.object})[0];
    EXPECT_EQ(m.outcome, Outcome::kOk) << m.message;
    EXPECT_TRUE(m.evidence.verified);
    EXPECT_GT(m.timing.median_ns, 0);
  }
  EXPECT_NE(built[0].object.code_fingerprint, built[1].object.code_fingerprint);
}

TEST(DeviceBench, WrongKernelsSayWhereAndTheRunnerGoesOn) {
  const auto runner = device_runner("opencl");
  const auto results =
      run(*runner,
          {opencl("C[i] = A[i] + B[i] + (i == 7);"), opencl("if (i < 999) C[i] = A[i] + B[i];"),
           opencl("C[i] = A[i] + B[i]; if (i == 3) C[1000] = 1;"), opencl("C[i] = A[i] + B[i]; if (i == 3) A[-1] = 1;"),
           opencl("C[i] = A[i] + B[i]; if (i == 3) B[4] = 1;"),
           opencl("W[i] = A[i]; C[i] = A[i] + B[i]; if (i == 3) W[1000] = 1;", true), opencl(kAdd)});
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(results[i].outcome, Outcome::kWrongResult) << i;
    EXPECT_FALSE(results[i].evidence.verified);
    EXPECT_TRUE(results[i].timing.samples_ns.empty()) << "what is wrong is not timed";
  }
  EXPECT_EQ(results[0].message, "parameter 2 element 7: expected 7.5, got 8.5, allowed error 0.001");
  EXPECT_EQ(results[0].evidence.largest_error, 1);
  EXPECT_THAT(results[1].message, HasSubstr("parameter 2 element 999: expected 999.5, got -nan"));
  EXPECT_EQ(results[2].message, "it wrote outside parameter 2");
  EXPECT_EQ(results[3].message, "it wrote outside parameter 0");
  EXPECT_EQ(results[4].message, "it wrote to parameter 1, an input");
  EXPECT_EQ(results[5].message, "it wrote outside its workspace");
  EXPECT_EQ(results[6].outcome, Outcome::kOk) << results[6].message << ": the inputs have been put right again";
}

TEST(DeviceBench, ComputesFromThreeSetsOfInputs) {
  const auto runner = device_runner("opencl", 20, addition_of_three_sets(kElements));
  const CompiledObject right = opencl(kAdd), rounding = opencl("C[i] = A[i] + B[i] + (i == 7 ? 1e-4f : 0);"),
                       flushing = opencl("const float sum = A[i] + B[i]; C[i] = fabs(sum) < 1e-4f ? 0 : sum;");
  const auto results = run(*runner, {rounding, flushing, right});
  EXPECT_EQ(results[0].outcome, Outcome::kWrongResult);
  EXPECT_EQ(results[0].message,
            "parameter 2 element 7: expected 5, got 5.00010014 from integers, where no error is allowed");
  EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
  EXPECT_EQ(results[2].outcome, Outcome::kOk) << results[2].message;
  const auto checked = runner->check({{&flushing}, {&right}});
  EXPECT_EQ(checked[0].outcome, Outcome::kWrongResult);
  EXPECT_EQ(checked[0].message,
            "parameter 2 element 0: expected 8.94069672e-08, got 0, allowed error 5.96e-14, from inputs of large and "
            "small magnitudes");
  EXPECT_EQ(checked[1].outcome, Outcome::kOk) << checked[1].message;
  EXPECT_TRUE(checked[1].evidence.verified);
}

TEST(DeviceBench, AFinalistMayNotDependOnThePreviousCall) {
  const auto runner = device_runner("opencl");
  const CompiledObject once = opencl("if (W[i] == 77) return; C[i] = A[i] + B[i]; W[i] = 77;", true),
                       right = opencl("W[i] = A[i] + B[i]; C[i] = W[i];", true);
  const auto results = runner->check({{&once}, {&right}});
  EXPECT_EQ(results[0].outcome, Outcome::kWrongResult);
  EXPECT_THAT(results[0].message, StartsWith("in a second call, parameter 2 element 0: expected 0.5, got "));
  EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
}

// The workspace counts the calls, to simulate a race between threads that shows in some of them only.
TEST(DeviceBench, ALaterCallIsHeldAgainstTheCheckedOne) {
  const auto runner = device_runner("opencl");
  const CompiledObject late = opencl(
                           "const int calls = isnan(W[i]) ? 1 : (int)W[i] + 1; W[i] = calls; "
                           "C[i] = A[i] + B[i] + (i == 7 && calls >= 10);",
                           true),
                       right = opencl("W[i] = A[i] + B[i]; C[i] = W[i];", true);
  const auto results = run(*runner, {late, right});
  EXPECT_EQ(results[0].outcome, Outcome::kWrongResult);
  EXPECT_EQ(results[0].message, "in a later call, parameter 2 element 7: expected 7.5, got 8.5, allowed error 0.001");
  EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
  const auto raced = runner->race({{&late}, {&right}});
  EXPECT_EQ(raced[0].outcome, Outcome::kWrongResult) << "in a process that has checked nothing";
  EXPECT_EQ(raced[1].outcome, Outcome::kOk) << raced[1].message;
}

TEST(DeviceBench, WhatWritesNothingIsSeenInAProcessThatHasCheckedNothing) {
  const auto runner = device_runner("opencl");
  const CompiledObject nothing = opencl("if (i < 0) C[i] = A[i] + B[i];"), right = opencl(kAdd);
  const auto raced = runner->race({{&right}, {&nothing}});
  EXPECT_EQ(raced[0].outcome, Outcome::kOk) << raced[0].message;
  EXPECT_EQ(raced[1].outcome, Outcome::kWrongResult);
  EXPECT_THAT(raced[1].message, StartsWith("in a later call, parameter 2 element 0: expected 0.5, got "));
}

TEST(DeviceBench, WhatTheDeviceRefusesIsALaunchError) {
  const auto runner = device_runner("opencl");
  CompiledObject other_kernel = opencl(kAdd);
  other_kernel.launches = launches("subtract");
  const auto results = run(
      *runner, {opencl("C[i] = missing;"), other_kernel,
                opencl("__local float tile[4 << 20]; tile[i] = A[i]; barrier(CLK_LOCAL_MEM_FENCE); C[i] = tile[0];"),
                opencl(kAdd)});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(results[i].outcome, Outcome::kLaunchError) << i;
  EXPECT_THAT(results[0].message, AllOf(HasSubstr("refuses the source"), HasSubstr("missing")));
  EXPECT_EQ(results[1].message, "the code for OpenCL has no kernel subtract");
  EXPECT_THAT(results[2].message, StartsWith("kernel add takes 16777216 bytes of local memory a block, and "));
  EXPECT_EQ(results[3].outcome, Outcome::kOk) << results[3].message;
}

TEST(DeviceBench, AHangAndACrashCostOneCandidateEach) {
  const auto runner = device_runner("opencl", 4);
  const auto results =
      run(*runner, {opencl("volatile int go = 1; while (go) C[i] = go; C[i] = A[i] + B[i];"),
                    opencl("volatile __global float* p = 0; p[i] = 1; C[i] = A[i] + B[i];"), opencl(kAdd)});
  EXPECT_EQ(results[0].outcome, Outcome::kTimeout);
  EXPECT_EQ(results[0].message, "not done after 4 s while being checked");
  EXPECT_EQ(results[1].outcome, Outcome::kCrash);
  EXPECT_EQ(results[1].message, "SIGSEGV while being checked");
  EXPECT_EQ(results[2].outcome, Outcome::kOk) << results[2].message;
}

TEST(DeviceBench, WhatPoclCompiledGoesWithTheRunner) {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "nestwright-device-bench-test";
  std::filesystem::create_directories(folder);
  list_devices(DeviceKind::kOpenCl);  // so that the files of this process, which lists them too, lie elsewhere
  setenv("TMPDIR", folder.c_str(), 1);
  unsetenv("POCL_CACHE_DIR");
  {
    const auto runner = device_runner("opencl", 5);
    EXPECT_EQ(run(*runner, {opencl(kAdd)})[0].outcome, Outcome::kOk);
    EXPECT_FALSE(std::filesystem::is_empty(folder));
    EXPECT_EQ(run(*runner, {opencl("abort_this_process: C[i] = *(volatile __global float*)0;")})[0].outcome,
              Outcome::kCrash);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "though its process was killed";
  unsetenv("TMPDIR");
  std::filesystem::remove_all(folder);
}
#endif

#ifdef WITH_CUDA
TEST(DeviceBench, BuildersMakeCubinsWithinTheirMemory) {
  use_worker(WORKER);
  const auto built = make_local_builder(Target::parse("cuda,arch=sm_90"), {.processes = 1})
                         ->build({addition_program("add"), addition_program("add", true)}, Pipeline::kSearch);
  for (const BuildResult& result : built) {
    ASSERT_EQ(result.outcome, Outcome::kOk) << result.message;
    EXPECT_EQ(result.object.object.substr(1, 3), "ELF");
    ASSERT_EQ(result.object.resources.size(), 1u);
    EXPECT_EQ(result.object.resources[0].kernel, "add");
    EXPECT_GT(result.object.resources[0].registers, 0);
    EXPECT_EQ(result.object.resources[0].spill_bytes, 0);
    EXPECT_EQ(result.object.resources[0].threads, 8);
    EXPECT_EQ(result.object.resources[0].occupancy, 0.5) << "32 blocks of one warp each, of 64 warps";
  }
}

/// As addition_program, through `bytes` of shared memory.
ir::Program shared_program(std::int64_t bytes) {
  ir::Program program = addition_program("add");
  const ir::Buffer staged("staged", kFloat32, {bytes / 4}, ir::Scope::kShared);
  const ir::Var block("block"), thread("thread");
  const ir::Expr i = ir::Expr(block) * 8 + thread;
  const ir::Expr sum =
      ir::make_load(program.parameters[0].buffer, {i}) + ir::make_load(program.parameters[1].buffer, {i});
  const ir::Stmt body = ir::block({ir::make_store(staged, {thread}, sum),
                                   ir::make_store(program.parameters[2].buffer, {i}, ir::make_load(staged, {thread}))});
  const ir::Stmt threads = ir::make_for(thread, 0, 8, ir::LoopKind::kThreadX, body);
  program.kernels[0].body =
      ir::make_for(block, 0, kElements / 8, ir::LoopKind::kBlockX, ir::make_allocate(staged, threads));
  return program;
}

TEST(DeviceBench, WhatCannotBeLaunchedIsRefusedOnceItIsCompiled) {
  use_worker(WORKER);
  const auto built =
      make_local_builder(Target::parse("cuda,arch=sm_90"), {.processes = 1})
          ->build({shared_program(232448), shared_program(232452), addition_program("add")}, Pipeline::kSearch);
  EXPECT_EQ(built[0].outcome, Outcome::kOk) << built[0].message;
  EXPECT_EQ(built[0].object.resources.at(0).shared_bytes, 232448) << "without what the system takes";
  EXPECT_EQ(built[0].object.resources.at(0).occupancy, 1.0 / 64);
  EXPECT_EQ(built[1].outcome, Outcome::kInvalidConfig);
  EXPECT_EQ(built[1].message,
            "kernel add cannot be launched: 232452 bytes of shared memory are more than the 232448 that a block may "
            "have on sm_90");
  EXPECT_EQ(built[1].object.object, "") << "there is nothing to launch";
  EXPECT_EQ(built[1].object.code_fingerprint, "");
  EXPECT_EQ(built[1].object.resources.at(0).shared_bytes, 232452);
  EXPECT_GT(built[1].compile_ms, 0);
  EXPECT_EQ(built[2].outcome, Outcome::kOk) << built[2].message << ": the builder goes on";
}
#endif

TEST(DeviceBench, OnCudaConditionsAreRecorded) {
  const auto runner = device_runner("cuda,arch=sm_90");
  const Measurement m = run(*runner, {cuda("adds_3")})[0];
  ASSERT_EQ(m.outcome, Outcome::kOk) << m.message;
  EXPECT_TRUE(m.evidence.verified);
  EXPECT_EQ(m.timing.median_ns, 250'000) << "what the driver says, however long the calls took here";
  EXPECT_EQ(m.device_clock_mhz, 1980);
  EXPECT_EQ(m.device_temperature_c, 41);
}

TEST(DeviceBench, CallsOfASampleFindTheirTensorsElsewhere) {
  const auto runner = device_runner("cuda,arch=sm_90");
  const Measurement m = run(*runner, {cuda("adds_elsewhere_3")})[0];
  EXPECT_EQ(m.outcome, Outcome::kOk) << m.message;
  EXPECT_EQ(m.timing.median_ns, 250'000);
}

TEST(DeviceBench, RefusesAnotherDeviceThanTheOneThatIsMeant) {
  const auto runner = device_runner("cuda,arch=sm_90");
  setenv("FAKE_CUDA_VERSION", "12080", 1);  // for the process that follows the crash
  const std::string said = message<Error>([&] { run(*runner, {cuda("traps_3"), cuda("adds_3")}); });
  unsetenv("FAKE_CUDA_VERSION");
  EXPECT_THAT(said, AllOf(HasSubstr("the runner did not start"), HasSubstr("it finds the device"),
                          HasSubstr("CUDA 12.8, but "), HasSubstr("CUDA 13.0 is meant")));
}

TEST(DeviceBench, AStickyErrorCostsOneCandidateAndANewContext) {
  const auto runner = device_runner("cuda,arch=sm_90");
  const auto results =
      run(*runner, {cuda("traps_3"), cuda("adds_3"), cuda("adds_3", "bad code"), cuda("nothing_3"), cuda("adds_3")});
  EXPECT_EQ(results[0].outcome, Outcome::kLaunchError);
  EXPECT_THAT(results[0].message, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  EXPECT_EQ(results[1].outcome, Outcome::kOk) << results[1].message;
  EXPECT_EQ(results[2].outcome, Outcome::kLaunchError);
  EXPECT_THAT(results[2].message, HasSubstr("no binary for this GPU"));
  EXPECT_EQ(results[3].outcome, Outcome::kWrongResult);
  EXPECT_EQ(results[4].outcome, Outcome::kOk) << results[4].message;
}

TEST(DeviceBench, WithoutADeviceThereIsNoRunner) {
  setenv("NESTWRIGHT_CUDA_DRIVER", "no-such-driver.so", 1);
  use_worker(WORKER);
  RunnerOptions options;
  options.target = Target::parse("cuda");
  try {
    make_local_runner(addition(), options);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(),
                 "the runner did not start (exit code 1: the CUDA driver (no-such-driver.so) is not installed: install "
                 "NVIDIA's driver for this machine's GPU); see what nestwright doctor says of the device, choose "
                 "smaller tensors, or set NESTWRIGHT_CONFINEMENT=off where its driver needs more than a worker may do");
  }
}

}  // namespace
}  // namespace nestwright
