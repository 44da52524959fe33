#include "measure/process/protocol.h"

#include <fmt/core.h>

#include "nestwright/error.h"
#include "support/data/wire.h"

namespace nestwright {

namespace {

template <class Enum>
std::uint8_t code(Enum value) {
  return static_cast<std::uint8_t>(value);
}

/// Throws UsageError for a number outside the enumeration.
template <class Enum>
Enum decode_enum(Decoder& d, Enum last) {
  const std::uint8_t value = d.u8();
  if (value > code(last))
    throw UsageError(fmt::format("a message has {} where at most {} is known", value, code(last)));
  return static_cast<Enum>(value);
}

void encode_resources(Encoder& e, const std::vector<KernelResources>& resources) {
  e.i64(static_cast<std::int64_t>(resources.size()));
  for (const KernelResources& r : resources) {
    e.bytes(r.kernel).i64(r.registers).i64(r.spill_bytes).i64(r.stack_bytes).i64(r.shared_bytes);
    e.i64(r.threads).f64(r.occupancy);
  }
}

std::vector<KernelResources> decode_resources(Decoder& d) {
  std::vector<KernelResources> resources;
  for (std::int64_t n = d.i64(); n > 0; --n) {
    KernelResources& r = resources.emplace_back();
    r.kernel = d.bytes();
    r.registers = static_cast<int>(d.i64());
    r.spill_bytes = d.i64();
    r.stack_bytes = d.i64();
    r.shared_bytes = d.i64();
    r.threads = static_cast<int>(d.i64());
    r.occupancy = d.f64();
  }
  return resources;
}

void encode_large(Encoder& e, const LargeLayout& large) {
  const ir::ElementLines& lines = large.lines;
  e.i64(large.samples).i64(large.vectors).i64(large.places).f64(large.modulus);
  e.i64(lines.batch).i64(lines.batch_step).i64(lines.outer).i64(lines.outer_step);
  e.i64(lines.length).i64(lines.step).i64(lines.inner).i64(lines.segment);
}

LargeLayout decode_large(Decoder& d) {
  LargeLayout large;
  large.samples = d.i64();
  large.vectors = d.i64();
  large.places = d.i64();
  large.modulus = d.f64();
  ir::ElementLines& lines = large.lines;
  for (std::int64_t* member : {&lines.batch, &lines.batch_step, &lines.outer, &lines.outer_step, &lines.length,
                               &lines.step, &lines.inner, &lines.segment}) {
    *member = d.i64();
  }
  return large;
}

}  // namespace

void encode_object(Encoder& e, const CompiledObject& object) {
  e.bytes(object.object).bytes(object.symbol).bytes(object.preparation);
  e.i64(object.workspace.shared_bytes).i64(object.workspace.per_thread_bytes);
  e.i64(static_cast<std::int64_t>(object.prepared_bytes.size()));
  for (const std::int64_t bytes : object.prepared_bytes) e.i64(bytes);
  e.bytes(object.launches);
}

CompiledObject decode_object(Decoder& d) {
  CompiledObject object;
  object.object = d.bytes();
  object.symbol = d.bytes();
  object.preparation = d.bytes();
  object.workspace.shared_bytes = d.i64();
  object.workspace.per_thread_bytes = d.i64();
  for (std::int64_t n = d.i64(); n > 0; --n) object.prepared_bytes.push_back(d.i64());
  object.launches = d.bytes();
  return object;
}

void encode_reading(Encoder& e, const Reading& r) {
  e.f64(r.ns).f64(r.span_ns).f64(r.fma_ns).f64(r.cpu_ns).f64(r.queue_ns).i64(r.involuntary_switches);
}

Reading decode_reading(Decoder& d) {
  Reading r;
  r.ns = d.f64();
  r.span_ns = d.f64();
  r.fma_ns = d.f64();
  r.cpu_ns = d.f64();
  r.queue_ns = d.f64();
  r.involuntary_switches = d.i64();
  return r;
}

std::string encode_hello() { return Encoder().i64(kProtocolVersion).str(); }

void expect_hello(std::string_view message) {
  const std::int64_t version = Decoder(message).i64();
  if (version != kProtocolVersion) {
    throw UsageError(
        fmt::format("nestwright-worker speaks version {} of the protocol and {} is needed; install both from one "
                    "build, or set NESTWRIGHT_WORKER",
                    version, kProtocolVersion));
  }
}

std::string encode(const CompileRequest& request) {
  return Encoder().u8(code(request.pipeline)).bytes(request.program).str();
}

CompileRequest decode_compile_request(std::string_view message) {
  Decoder d(message);
  CompileRequest request;
  request.pipeline = decode_enum(d, Pipeline::kFinal);
  request.program = d.bytes();
  return request;
}

std::string encode(const CompileReply& reply) {
  Encoder e;
  e.u8(code(reply.outcome)).bytes(reply.message).bytes(reply.object.code_fingerprint).f64(reply.compile_ms);
  encode_object(e, reply.object);
  encode_resources(e, reply.object.resources);
  return e.str();
}

CompileReply decode_compile_reply(std::string_view message) {
  Decoder d(message);
  CompileReply reply;
  reply.outcome = decode_enum(d, Outcome::kWrongResult);
  reply.message = d.bytes();
  std::string identity = d.bytes();
  reply.compile_ms = d.f64();
  reply.object = decode_object(d);
  reply.object.resources = decode_resources(d);
  reply.object.code_fingerprint = std::move(identity);
  return reply;
}

void encode(Encoder& encoder, const TensorLayout& layout) {
  encoder.bytes(layout.type.str()).u8(code(layout.role)).i64(layout.elements);
  encoder.i64(layout.first).i64(layout.second).i64(layout.integers).i64(layout.integer_bound);
  encoder.i64(layout.wide).i64(layout.wide_bound).u8(layout.is_constant);
  encoder.u8(layout.large.has_value());
  if (layout.large) encode_large(encoder, *layout.large);
}

TensorLayout decode_tensor_layout(Decoder& decoder) {
  TensorLayout layout;
  layout.type = ir::Type::parse(decoder.bytes());
  layout.role = decode_enum(decoder, ir::Role::kPrepared);
  layout.elements = decoder.i64();
  layout.first = decoder.i64();
  layout.second = decoder.i64();
  layout.integers = decoder.i64();
  layout.integer_bound = decoder.i64();
  layout.wide = decoder.i64();
  layout.wide_bound = decoder.i64();
  layout.is_constant = decoder.u8() != 0;
  if (decoder.u8() != 0) layout.large = decode_large(decoder);
  return layout;
}

std::string encode(const RunnerSetup& setup) {
  Encoder e;
  e.i64(setup.threads).u8(code(setup.pool)).bytes(setup.target).bytes(setup.checker).bytes(setup.device);
  e.u8(code(setup.caches));
  e.i64(static_cast<std::int64_t>(setup.tensors.size()));
  for (const TensorLayout& layout : setup.tensors) encode(e, layout);
  return e.str();
}

RunnerSetup decode_runner_setup(std::string_view message) {
  Decoder d(message);
  RunnerSetup setup;
  setup.threads = static_cast<int>(d.i64());
  setup.pool = decode_enum(d, PoolKind::kSpin);
  setup.target = d.bytes();
  setup.checker = d.bytes();
  setup.device = d.bytes();
  setup.caches = decode_enum(d, CacheState::kStream);
  for (std::int64_t n = d.i64(); n > 0; --n) setup.tensors.push_back(decode_tensor_layout(d));
  return setup;
}

std::string encode(const RunnerRequest& request) {
  Encoder e;
  e.u8(code(request.kind)).i64(request.number).i64(request.id);
  encode_object(e, request.object);
  e.u8(request.is_part).i64(request.calls).u8(request.warm_up).u8(request.thorough);
  return e.str();
}

RunnerRequest decode_runner_request(std::string_view message) {
  Decoder d(message);
  RunnerRequest request;
  request.kind = decode_enum(d, RunnerRequest::Kind::kUnload);
  request.number = d.i64();
  request.id = static_cast<int>(d.i64());
  request.object = decode_object(d);
  request.is_part = d.u8() != 0;
  request.calls = d.i64();
  request.warm_up = d.u8() != 0;
  request.thorough = d.u8() != 0;
  return request;
}

std::string encode(const RunnerReply& reply) {
  Encoder e;
  e.i64(reply.number).u8(code(reply.outcome)).bytes(reply.message);
  e.u8(reply.evidence.verified).f64(reply.evidence.largest_error).f64(reply.evidence.largest_error_ratio);
  e.f64(reply.call_ns);
  encode_reading(e, reply.reading);
  e.f64(reply.surroundings.walk_ns).f64(reply.surroundings.steal_ns);
  e.f64(reply.device_clock_mhz).f64(reply.device_temperature_c).u8(reply.is_lost);
  encode_resources(e, reply.resources);
  return e.str();
}

RunnerReply decode_runner_reply(std::string_view message) {
  Decoder d(message);
  RunnerReply reply;
  reply.number = d.i64();
  reply.outcome = decode_enum(d, Outcome::kWrongResult);
  reply.message = d.bytes();
  reply.evidence.verified = d.u8() != 0;
  reply.evidence.largest_error = d.f64();
  reply.evidence.largest_error_ratio = d.f64();
  reply.call_ns = d.f64();
  reply.reading = decode_reading(d);
  reply.surroundings.walk_ns = d.f64();
  reply.surroundings.steal_ns = d.f64();
  reply.device_clock_mhz = d.f64();
  reply.device_temperature_c = d.f64();
  reply.is_lost = d.u8() != 0;
  reply.resources = decode_resources(d);
  return reply;
}

}  // namespace nestwright
