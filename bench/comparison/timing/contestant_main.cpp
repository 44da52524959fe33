// The process of one contestant: makes the operation, checks its result, then takes a sample for each request. Only
// bench_compare starts it, with its channel as descriptor 3 and the tensors as descriptor 4.

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "bench/comparison/timing/buffers.h"
#include "bench/comparison/timing/operation.h"
#include "bench/comparison/timing/request.h"
#include "bench/comparison/timing/sampling.h"
#include "measure/check/elements.h"
#include "measure/process/guarded_region.h"
#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "support/data/wire.h"
#include "support/os/channel.h"
#include "target/description/host.h"

namespace nestwright::bench {
namespace {

/// The file of tensors, mapped for the lifetime of the process.
const char* map_tensors() {
  struct stat status = {};
  fstat(kContestantTensorsFd, &status);
  void* const memory =
      mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ, MAP_SHARED, kContestantTensorsFd, 0);
  if (memory == MAP_FAILED) throw Error(std::string("cannot map the tensors: ") + std::strerror(errno));
  return static_cast<const char*>(memory);
}

Buffers make_buffers(const ContestRequest& request) {
  std::vector<std::int64_t> sizes;
  std::int64_t bytes = 0;
  for (const TensorLayout& tensor : request.tensors) {
    sizes.push_back(tensor.elements * tensor.type.bytes());
    bytes += sizes.back();
  }
  return {sizes, copies_for(request.caches, bytes, host_caches().l3), request.pages};
}

/// Fills the inputs of every copy.
std::vector<Operands> operands_in(const Buffers& buffers, const ContestRequest& request, const char* file) {
  std::vector<Operands> copies(static_cast<std::size_t>(buffers.copies()));
  for (std::size_t copy = 0; copy < copies.size(); ++copy) {
    for (std::size_t i = 0; i < request.tensors.size(); ++i) {
      const TensorLayout& tensor = request.tensors[i];
      void* const memory = buffers.at(static_cast<std::int64_t>(copy), i);
      if (tensor.role != ir::Role::kInput) {
        copies[copy].outputs.push_back(memory);
        continue;
      }
      const std::int64_t bytes = tensor.elements * tensor.type.bytes();
      const char* const values = file + tensor.second + GuardedRegion::offset(bytes, Placement::kAtStart);
      std::memcpy(memory, values, static_cast<std::size_t>(bytes));
      copies[copy].inputs.push_back(memory);
    }
  }
  return copies;
}

/// Calls on copy number `copy` with poisoned outputs and compares these with the reference. Throws Error.
void check_call(const Operation& operation, std::size_t copy, const Operands& operands, const ContestRequest& request,
                const char* file) {
  std::vector<TensorLayout> outputs;
  for (const TensorLayout& tensor : request.tensors) {
    if (tensor.role != ir::Role::kInput) outputs.push_back(tensor);
  }
  const auto elements = [](const TensorLayout& tensor) { return static_cast<std::size_t>(tensor.elements); };
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    std::memset(operands.outputs[i], 0xff, elements(outputs[i]) * static_cast<std::size_t>(outputs[i].type.bytes()));
  }
  operation.calls[copy]();
  if (!operation.stores.empty()) operation.stores[copy]();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto doubles = [&](std::int64_t offset) {
      return std::span(reinterpret_cast<const double*>(file + offset), elements(outputs[i]));
    };
    const auto compared =
        compare_elements(outputs[i].type, operands.outputs[i], doubles(outputs[i].first), doubles(outputs[i].second));
    if (compared.first_wrong >= 0) {
      throw Error(fmt::format("wrong result: element {} is the first, the largest error is {} times its bound",
                              compared.first_wrong, compared.largest_error_ratio));
    }
  }
}

void say(Channel& channel, Readiness readiness, const std::string& text) {
  channel.send(Encoder().u8(static_cast<std::uint8_t>(readiness)).bytes(text).str());
}

void compete(const ContestRequest& request, Channel& channel) {
  const char* const file = map_tensors();
  const Buffers buffers = make_buffers(request);
  const std::vector<Operands> copies = operands_in(buffers, request, file);
  const auto made = make_operation({parse_workload(request.workload), request.weights, request.threads, copies,
                                    request.database, request.template_name});
  if (const auto* cannot = std::get_if<CannotDo>(&made)) return say(channel, Readiness::kCannotDo, cannot->why);

  const Operation& operation = std::get<Operation>(made);
  if (host_isa() == CpuIsa::kAvx512 && !operation.runs_avx512) {
    throw Error(fmt::format("does not run its AVX-512 path ({}): a comparison would be unfair", operation.detail));
  }
  check_call(operation, 0, copies.front(), request, file);
  if (copies.size() > 1) check_call(operation, copies.size() - 1, copies.back(), request, file);

  Sampler sampler(operation.calls);
  sampler.sample();
  say(channel, Readiness::kReady, operation.detail);
  for (std::string asked; channel.receive(asked) == Channel::Status::kMessage;) {
    const Sample sample = sampler.sample();
    if (!channel.send(Encoder().f64(sample.time_ns).f64(sample.cpu_share).str())) return;
  }
}

int run(int argc) {
  // Effective even while it is stopped, when it would not see that the other end has closed.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (argc > 1 || fcntl(kContestantTensorsFd, F_GETFD) < 0) {
    fmt::print(stderr, "this is a part of bench/compare: run that\n");
    return 2;
  }
  Channel channel{UniqueFd(kContestantChannelFd)};
  try {
    std::string message;
    if (channel.receive(message) == Channel::Status::kMessage) compete(decode_contest_request(message), channel);
    return 0;
  } catch (const std::exception& e) {
    say(channel, Readiness::kRefused, e.what());
    return 1;
  }
}

}  // namespace
}  // namespace nestwright::bench

int main(int argc, char**) { return nestwright::bench::run(argc); }
