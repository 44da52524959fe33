#include "measure/sequence/sequence.h"

#include "measure/process/protocol.h"
#include "nestwright/error.h"
#include "support/data/wire.h"

namespace nestwright {
namespace {

template <class T, class One>
void encode_list(Encoder& e, const std::vector<T>& list, const One& one) {
  e.i64(static_cast<std::int64_t>(list.size()));
  for (const T& element : list) one(element);
}

template <class One>
auto decode_list(Decoder& d, const One& one) {
  std::vector<decltype(one())> list;
  for (std::int64_t n = d.i64(); n > 0; --n) list.push_back(one());
  return list;
}

SequenceBuffer decode_buffer(Decoder& d) {
  const std::uint8_t in = d.u8();
  if (in > static_cast<std::uint8_t>(SequenceBuffer::In::kNone)) throw UsageError("a message has an unknown memory");
  return {static_cast<SequenceBuffer::In>(in), d.i64()};
}

}  // namespace

std::string encode(const SequenceSetup& setup) {
  Encoder e;
  const CallSequence& sequence = setup.sequence;
  e.i64(setup.threads).i64(sequence.data_bytes).i64(sequence.scratch_bytes);
  encode_list(e, sequence.kernels, [&](const CompiledObject& object) { encode_object(e, object); });
  encode_list(e, sequence.steps, [&](const std::vector<SequenceCall>& step) {
    encode_list(e, step, [&](const SequenceCall& call) {
      e.i64(call.kernel);
      encode_list(e, call.buffers,
                  [&](const SequenceBuffer& buffer) { e.u8(static_cast<std::uint8_t>(buffer.in)).i64(buffer.offset); });
    });
  });
  return e.str();
}

SequenceSetup decode_sequence_setup(std::string_view message) {
  Decoder d(message);
  SequenceSetup setup;
  setup.threads = static_cast<int>(d.i64());
  setup.sequence.data_bytes = d.i64();
  setup.sequence.scratch_bytes = d.i64();
  setup.sequence.kernels = decode_list(d, [&] { return decode_object(d); });
  setup.sequence.steps = decode_list(d, [&] {
    return decode_list(d, [&] {
      SequenceCall call;
      call.kernel = d.i64();
      call.buffers = decode_list(d, [&] { return decode_buffer(d); });
      return call;
    });
  });
  return setup;
}

std::string encode(const SequenceRequest& request) {
  Encoder e;
  encode_list(e, request.choice, [&](std::int64_t choice) { e.i64(choice); });
  return e.i64(request.calls).u8(request.warm_up).u8(request.with_steps).str();
}

SequenceRequest decode_sequence_request(std::string_view message) {
  Decoder d(message);
  SequenceRequest request;
  request.choice = decode_list(d, [&] { return d.i64(); });
  request.calls = d.i64();
  request.warm_up = d.u8() != 0;
  request.with_steps = d.u8() != 0;
  return request;
}

std::string encode(const SequenceReply& reply) {
  Encoder e;
  e.i64(reply.result);
  encode_reading(e, reply.reading);
  e.f64(reply.surroundings.walk_ns).f64(reply.surroundings.steal_ns);
  encode_list(e, reply.step_ns, [&](double ns) { e.f64(ns); });
  return e.str();
}

SequenceReply decode_sequence_reply(std::string_view message) {
  Decoder d(message);
  SequenceReply reply;
  reply.result = d.i64();
  reply.reading = decode_reading(d);
  reply.surroundings.walk_ns = d.f64();
  reply.surroundings.steal_ns = d.f64();
  reply.step_ns = decode_list(d, [&] { return d.f64(); });
  return reply;
}

}  // namespace nestwright
