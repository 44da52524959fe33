#include <fmt/format.h>

#include <exception>
#include <new>

#include "codegen/backend.h"
#include "ir/serialize/serialize.h"
#include "measure/build/resource_rejection.h"
#include "measure/process/confinement.h"
#include "measure/process/protocol.h"
#include "measure/process/roles.h"
#include "nestwright/error.h"
#include "nestwright/lower.h"
#include "support/base/clock.h"

namespace nestwright {

namespace {

/// A compiler that is loaded at run time may lie where this process cannot read once it is confined.
void load_compiler(DeviceKind device) {
  try {
    backend_version(device);
  } catch (const CompileError&) {
    // each request will report it
  }
}

CompileReply compile(const CompileRequest& request, const Target& target) {
  CompileReply reply;
  const std::int64_t start = steady_clock().now_ns();
  try {
    const ir::Program loops = ir::deserialize(request.program);
    if (!loops.symbols.empty()) {
      throw LowerError(
          fmt::format("{} has the symbolic extent or stride {}: only programs of constant shapes are timed", loops.name,
                      loops.symbols[0].name()));
    }
    const ir::Program expanded = expand(loops, target, {.verify = request.pipeline == Pipeline::kFinal});
    CompileOptions options;
    options.pipeline = request.pipeline;
    reply.object = compile_program(expanded, target, options);
    reply.message = resource_rejection(reply.object.resources, target);
    if (!reply.message.empty()) {
      reply.outcome = Outcome::kInvalidConfig;
      reply.object = {.resources = std::move(reply.object.resources)};
    }
  } catch (const LowerError& e) {
    reply.outcome = Outcome::kInvalidConfig;
    reply.message = e.what();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    reply.outcome = Outcome::kCompileError;
    reply.message = e.what();
  }
  reply.compile_ms = static_cast<double>(steady_clock().now_ns() - start) * 1e-6;
  return reply;
}

}  // namespace

int run_builder_role(Channel& channel) {
  std::string message;
  channel.send(encode_hello());
  if (channel.receive(message) != Channel::Status::kMessage) return 0;
  const Target target = Target::parse(message);
  load_compiler(target.device);
  confine_builder();
  while (channel.receive(message) == Channel::Status::kMessage) {
    channel.send(encode(compile(decode_compile_request(message), target)));
  }
  return 0;
}

}  // namespace nestwright
