// A CallSequence: calls of kernels one after the other, as a network makes them, as data that a worker can run. A step
// may have several kernels that compute the same, of which each run takes one.
// Thread rule: values and pure functions. Decoding a malformed message throws UsageError. Sizes and offsets are in
// bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/backend.h"
#include "measure/race/disturbance_gate.h"

namespace nestwright {

/// A pointer that a call passes to its kernel.
struct SequenceBuffer {
  enum class In : std::uint8_t {
    kData,     ///< inputs and weights, which calls only read
    kScratch,  ///< what the kernels write
    kNone,     ///< the kernel does not read it: null
  } in = In::kNone;
  std::int64_t offset = 0;  ///< from the beginning of that memory, whose alignment is 64
};

struct SequenceCall {
  std::int64_t kernel = 0;              ///< index into CallSequence::kernels
  std::vector<SequenceBuffer> buffers;  ///< one for each parameter
};

struct CallSequence {
  std::vector<CompiledObject> kernels;           ///< only the parts that a worker needs
  std::vector<std::vector<SequenceCall>> steps;  ///< of each step its alternatives, at least one
  std::int64_t data_bytes = 0;                   ///< of the file that the worker maps
  std::int64_t scratch_bytes = 0;
};

/// The first message to a worker in the role "sequence". The data are in its file kWorkerTensorsFd.
struct SequenceSetup {
  CallSequence sequence;
  int threads = 1;
};
std::string encode(const SequenceSetup& setup);
SequenceSetup decode_sequence_setup(std::string_view message);

/// A request to run the sequence.
struct SequenceRequest {
  std::vector<std::int64_t> choice;  ///< of each step, the index of its alternative
  std::int64_t calls = 1;            ///< of the whole sequence; 0: only the surroundings are asked for
  bool warm_up = false;              ///< untimed ones first
  bool with_steps = false;           ///< also the time of each step of the last call
};
std::string encode(const SequenceRequest& request);
SequenceRequest decode_sequence_request(std::string_view message);

/// The reply to a request, or, with a result of 0 and nothing else, that the worker is ready.
struct SequenceReply {
  std::int64_t result = 0;  ///< of the first kernel that did not return 0
  Reading reading;
  Surroundings surroundings;    ///< where there were no calls: the walk would evict what they left in the caches
  std::vector<double> step_ns;  ///< of SequenceRequest::with_steps
};
std::string encode(const SequenceReply& reply);
SequenceReply decode_sequence_reply(std::string_view message);

}  // namespace nestwright
