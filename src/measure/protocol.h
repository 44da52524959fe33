// What is said between this process and a nestwright-worker: one message a request, one a reply, over a Channel.
// Thread rule: values and pure functions. Reading a malformed message throws UsageError.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/backend.h"
#include "ir/core/program.h"
#include "measure/disturbance_gate.h"
#include "measure/measurement.h"
#include "runtime/parallel_pool.h"
#include "support/wire.h"

namespace nestwright {

/// A worker says hello with this once it is ready; another number is refused.
inline constexpr std::int64_t kProtocolVersion = 11;
/// Descriptors of a worker: its channel; of a runner also the tensors and a page for its last words.
inline constexpr int kWorkerChannelFd = 3, kWorkerTensorsFd = 4, kWorkerFaultFd = 5;

std::string encode_hello();
/// Throws UsageError where the peer speaks another version.
void expect_hello(std::string_view message);

// --- Builder: the target once, then a program a request --------------------------------------------------------------

struct CompileRequest {
  Pipeline pipeline = Pipeline::kSearch;
  std::string program;  ///< ir::serialize
};
std::string encode(const CompileRequest& request);
CompileRequest decode_compile_request(std::string_view message);

struct CompileReply {
  Outcome outcome = Outcome::kOk;
  std::string message;
  CompiledObject object;  ///< what a runner needs of it, its code and its resources
  double compile_ms = 0;
};
std::string encode(const CompileReply& reply);
CompileReply decode_compile_reply(std::string_view message);

// --- Runner: the tensors once, then any number of these --------------------------------------------------------------

/// A parameter in the file of tensors. An input lies there twice, in whole pages, as the two placements need it; of an
/// output there are the expected values and the bounds, as doubles. Where the task has inputs of whole numbers, or of
/// large and small magnitudes, they lie there as well, as the placement at the end needs them, and so does what is
/// expected of them.
struct TensorLayout {
  ir::Type type;
  ir::Role role = ir::Role::kInput;
  std::int64_t elements = 0;
  std::int64_t first = 0, second = 0;  ///< offsets: at end and at start, or expected and bound
  std::int64_t whole = -1;             ///< offset of the whole numbers, or of what is expected of them; -1: none
  std::int64_t wide = -1;              ///< likewise of large and small magnitudes
  std::int64_t wide_bound = -1;        ///< offset of their bounds, of an output; -1: none
};
void encode(Encoder& encoder, const TensorLayout& layout);
TensorLayout decode_tensor_layout(Decoder& decoder);

struct RunnerSetup {
  std::vector<TensorLayout> tensors;
  int threads = 1;
  PoolKind pool = PoolKind::kSerial;
  std::string target;   ///< of a device, as Target::str() has it; empty: the CPU
  std::string checker;  ///< of a device, what compares results there (device_checker_source.h); empty: there is none
};
std::string encode(const RunnerSetup& setup);
RunnerSetup decode_runner_setup(std::string_view message);

struct RunnerRequest {
  enum class Kind : std::uint8_t { kLoad, kCheck, kSample, kSurroundings, kUnload };
  Kind kind = Kind::kLoad;
  std::int64_t number = 0;  ///< of the request, 1 and up; the reply has it, too
  int id = 0;
  CompiledObject object;   ///< kLoad: what a runner needs of it
  std::int64_t calls = 1;  ///< kSample
  bool warm_up = false;    ///< kSample: an untimed call first
  /// kCheck: also a call on inputs of large and small magnitudes, and one that finds what the call before left in the
  /// workspace.
  bool thorough = false;
};
std::string encode(const RunnerRequest& request);
RunnerRequest decode_runner_request(std::string_view message);

/// Also says that the runner is ready, once, with the number 0.
struct RunnerReply {
  std::int64_t number = 0;         ///< of the request
  Outcome outcome = Outcome::kOk;  ///< kOk, kLaunchError or kWrongResult
  std::string message;
  Evidence evidence;                                      ///< kCheck
  double call_ns = 0;                                     ///< kCheck: of the faster call
  Reading reading;                                        ///< kSample
  Surroundings surroundings;                              ///< kSurroundings
  std::vector<KernelResources> resources;                 ///< kLoad, where the device's driver tells them
  double device_clock_mhz = 0, device_temperature_c = 0;  ///< kSample, where a device tells them
  bool is_lost = false;                                   ///< the device failed for good: the runner has to be replaced
};
std::string encode(const RunnerReply& reply);
RunnerReply decode_runner_reply(std::string_view message);

/// Where a runner's fault was, written by its signal handler to shared memory just before it dies.
struct FaultRecord {
  std::int32_t written = 0;
  std::int32_t parameter = 0;  ///< -1: the workspace, -2: none of them
  std::int32_t side = 0;       ///< GuardedRegion::Fault
  std::int32_t refused = -1;   ///< the number of a system call that candidates may not make; -1: it was no such fault
};

}  // namespace nestwright
