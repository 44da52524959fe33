// The messages between this process and a nestwright-worker: each request and each reply is one message on a Channel.
// Thread rule: values and pure functions. Decoding a malformed message throws UsageError.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/backend.h"
#include "measure/race/disturbance_gate.h"
#include "nestwright/element_lines.h"
#include "nestwright/measurement.h"
#include "nestwright/parallel_pool.h"
#include "nestwright/program.h"
#include "nestwright/target.h"
#include "support/data/wire.h"

namespace nestwright {

/// The version that a worker sends when it is ready; a different one is refused.
inline constexpr std::int64_t kProtocolVersion = 13;
/// The descriptors of a worker: its channel and, for a runner, the tensors and a page for its FaultRecord.
inline constexpr int kWorkerChannelFd = 3, kWorkerTensorsFd = 4, kWorkerFaultFd = 5;

/// Returns the message that a worker sends when it is ready.
std::string encode_hello();
/// Throws UsageError if the peer has another version.
void expect_hello(std::string_view message);

// What several messages contain.

/// Only the parts of an object that a runner needs.
void encode_object(Encoder& encoder, const CompiledObject& object);
CompiledObject decode_object(Decoder& decoder);
void encode_reading(Encoder& encoder, const Reading& reading);
Reading decode_reading(Decoder& decoder);

// --- Builder: the target once, then one program per request ----------------------------------------------------------

struct CompileRequest {
  Pipeline pipeline = Pipeline::kSearch;
  std::string program;  ///< in the form of ir::serialize
};
std::string encode(const CompileRequest& request);
CompileRequest decode_compile_request(std::string_view message);

struct CompileReply {
  Outcome outcome = Outcome::kOk;
  std::string message;
  CompiledObject object;  ///< only the parts that a runner needs, its code fingerprint and its resources
  double compile_ms = 0;
};
std::string encode(const CompileReply& reply);
CompileReply decode_compile_reply(std::string_view message);

// --- Runner: the setup once, then any number of requests -------------------------------------------------------------

/// How the expected values of an output of LargeData lie in the tensor file. A block of doubles for each set of inputs
/// has the values and the bounds of the sampled elements, then, if `vectors` > 0, the number of vectors that there are
/// for this set (it or 0) and, for each, the sums and the bounds of the lines and the weights.
struct LargeLayout {
  std::int64_t samples = 0, vectors = 0;
  std::int64_t places = 0;  ///< offset of the places of the samples, as doubles
  ir::ElementLines lines;
  double modulus = 0;
  std::int64_t doubles() const {
    return 2 * samples + (vectors > 0 ? 1 + vectors * (2 * lines.lines() + lines.segment) : 0);
  }
};

/// The place of a parameter in the tensor file. The file contains each input in whole pages, once per placement (once
/// in all if the placements coincide), and the expected values and bounds of each output, as doubles. If the task has
/// inputs of integers, or of large and small magnitudes, the file also contains those, placed at the end, with
/// their expected values and bounds.
struct TensorLayout {
  ir::Type type;
  ir::Role role = ir::Role::kInput;
  std::int64_t elements = 0;
  std::int64_t first = 0, second = 0;  ///< offsets: at end and at start, or expected and bound
  std::int64_t integers = -1;          ///< offset of the integers, or of their expected values; -1: none
  std::int64_t integer_bound = -1;     ///< for an output, the offset of their bounds; -1: zeros
  std::int64_t wide = -1;              ///< likewise for large and small magnitudes
  std::int64_t wide_bound = -1;        ///< for an output, the offset of their bounds; -1: none
  bool is_constant = false;            ///< an input that is the same in every call, as weights are
  /// For an output of LargeData; first, integers and wide are then offsets of its blocks. An input of LargeData may
  /// lack the uniform values at the end: `first` is then -1.
  std::optional<LargeLayout> large = {};
};
void encode(Encoder& encoder, const TensorLayout& layout);
TensorLayout decode_tensor_layout(Decoder& decoder);

/// The first message to a runner: the tensors of the task and how to run candidates.
struct RunnerSetup {
  std::vector<TensorLayout> tensors;
  int threads = 1;
  PoolKind pool = PoolKind::kSerial;
  std::string target;                     ///< for a device, its Target::str(); empty: the CPU
  std::string checker;                    ///< for a device, device_checker_object(); empty: none
  std::string device;                     ///< DeviceInfo::str() of the device that is meant; empty: the first one
  CacheState caches = CacheState::kWarm;  ///< on the CPU
};
std::string encode(const RunnerSetup& setup);
RunnerSetup decode_runner_setup(std::string_view message);

/// A request to a runner; `id` is the number of the candidate.
struct RunnerRequest {
  enum class Kind : std::uint8_t { kLoad, kCheck, kSample, kSurroundings, kUnload };
  Kind kind = Kind::kLoad;
  std::int64_t number = 0;  ///< of the request, from 1; the reply repeats it
  int id = 0;
  CompiledObject object;   ///< kLoad: only the parts that a runner needs
  bool is_part = false;    ///< kLoad: its results are parts of the right ones, and are not compared with these
  std::int64_t calls = 1;  ///< kSample
  bool warm_up = false;    ///< kSample: an untimed call first
  /// kCheck: also calls it on inputs of large and small magnitudes, and once with the workspace as the previous call
  /// left it.
  bool thorough = false;
};
std::string encode(const RunnerRequest& request);
RunnerRequest decode_runner_request(std::string_view message);

/// The reply to a request. A first one, with number 0, says that the runner is ready.
struct RunnerReply {
  std::int64_t number = 0;         ///< of the request
  Outcome outcome = Outcome::kOk;  ///< kOk, kLaunchError or kWrongResult
  std::string message;
  Evidence evidence;                                      ///< kCheck
  double call_ns = 0;                                     ///< kCheck: of the faster call
  Reading reading;                                        ///< kSample
  Surroundings surroundings;                              ///< kSurroundings
  std::vector<KernelResources> resources;                 ///< kLoad, if the device's driver reports them
  double device_clock_mhz = 0, device_temperature_c = 0;  ///< kSample, if the device reports them
  bool is_lost = false;  ///< the device has become unusable: the runner must be replaced
};
std::string encode(const RunnerReply& reply);
RunnerReply decode_runner_reply(std::string_view message);

/// The location of a runner's fault, which its signal handler writes to shared memory just before the process dies.
struct FaultRecord {
  std::int32_t written = 0;
  std::int32_t parameter = 0;  ///< -1: the workspace, -2: neither
  std::int32_t side = 0;       ///< GuardedRegion::Fault
  std::int32_t refused = -1;   ///< the number of the refused system call; -1: another kind of fault
};

}  // namespace nestwright
