#include "measure/process/protocol.h"

#include <gtest/gtest.h>

#include "nestwright/error.h"
#include "support/data/wire.h"

namespace nestwright {
namespace {

TEST(Protocol, BuilderMessagesComeBackWhole) {
  const CompileRequest request = decode_compile_request(encode(CompileRequest{Pipeline::kFinal, "bytes"}));
  EXPECT_EQ(request.pipeline, Pipeline::kFinal);
  EXPECT_EQ(request.program, "bytes");
  CompileReply sent{Outcome::kCompileError, "why", {}, 1.5};
  sent.object.object = std::string("\0obj", 4);
  sent.object.symbol = "sym";
  sent.object.preparation = "sym_prepare";
  sent.object.prepared_bytes = {64, 4096};
  sent.object.code_fingerprint = "code";
  sent.object.workspace = {128, 64};
  sent.object.launches = "program";
  sent.object.resources = {{"kernel", 64, 8, 16, 4096, 128, 0.25}};
  const CompileReply reply = decode_compile_reply(encode(sent));
  EXPECT_EQ(reply.outcome, Outcome::kCompileError);
  EXPECT_EQ(reply.message, "why");
  EXPECT_EQ(reply.object.object, std::string("\0obj", 4));
  EXPECT_EQ(reply.object.symbol, "sym");
  EXPECT_EQ(reply.object.preparation, "sym_prepare");
  EXPECT_EQ(reply.object.prepared_bytes, (std::vector<std::int64_t>{64, 4096}));
  EXPECT_EQ(reply.object.code_fingerprint, "code");
  EXPECT_EQ(reply.object.workspace.shared_bytes, 128);
  EXPECT_EQ(reply.object.workspace.per_thread_bytes, 64);
  EXPECT_EQ(reply.compile_ms, 1.5);
  EXPECT_EQ(reply.object.launches, "program");
  ASSERT_EQ(reply.object.resources.size(), 1u);
  EXPECT_EQ(reply.object.resources[0].kernel, "kernel");
  EXPECT_EQ(reply.object.resources[0].registers, 64);
  EXPECT_EQ(reply.object.resources[0].spill_bytes, 8);
  EXPECT_EQ(reply.object.resources[0].stack_bytes, 16);
  EXPECT_EQ(reply.object.resources[0].shared_bytes, 4096);
  EXPECT_EQ(reply.object.resources[0].threads, 128);
  EXPECT_EQ(reply.object.resources[0].occupancy, 0.25);
}

TEST(Protocol, RunnerMessagesComeBackWhole) {
  RunnerSetup setup{{{kBFloat16, ir::Role::kInput, 5, 4096, 8192, -1, -1, -1, -1, true},
                     {kInt32, ir::Role::kOutput, 7, 1, 2, 3, 4, 5, 6}},
                    3,
                    PoolKind::kTbb,
                    "opencl",
                    "code",
                    "a device",
                    CacheState::kStream};
  const RunnerSetup s = decode_runner_setup(encode(setup));
  EXPECT_EQ(s.device, "a device");
  ASSERT_EQ(s.tensors.size(), 2u);
  EXPECT_EQ(s.tensors[0].type, kBFloat16);
  EXPECT_EQ(s.tensors[0].second, 8192);
  EXPECT_EQ(s.tensors[1].role, ir::Role::kOutput);
  EXPECT_EQ(s.tensors[1].elements, 7);
  EXPECT_EQ(s.tensors[0].integers, -1);
  EXPECT_EQ(s.tensors[0].wide, -1);
  EXPECT_EQ(s.tensors[1].integers, 3);
  EXPECT_EQ(s.tensors[1].integer_bound, 4);
  EXPECT_EQ(s.tensors[1].wide, 5);
  EXPECT_EQ(s.tensors[1].wide_bound, 6);
  EXPECT_EQ(s.threads, 3);
  EXPECT_EQ(s.pool, PoolKind::kTbb);
  EXPECT_EQ(s.target, "opencl");
  EXPECT_EQ(s.checker, "code");
  EXPECT_EQ(s.caches, CacheState::kStream);
  EXPECT_TRUE(s.tensors[0].is_constant);
  EXPECT_FALSE(s.tensors[1].is_constant);

  RunnerRequest request;
  request.kind = RunnerRequest::Kind::kSample;
  request.number = 76;
  request.id = 12;
  request.calls = 1234567;
  request.warm_up = true;
  request.object.object = "code";
  request.object.workspace = {1, 2};
  request.object.preparation = "fill";
  request.object.prepared_bytes = {128};
  const RunnerRequest r = decode_runner_request(encode(request));
  EXPECT_EQ(r.kind, RunnerRequest::Kind::kSample);
  EXPECT_EQ(r.number, 76);
  EXPECT_EQ(r.id, 12);
  EXPECT_EQ(r.calls, 1234567);
  EXPECT_TRUE(r.warm_up);
  EXPECT_EQ(r.object.object, "code");
  EXPECT_EQ(r.object.workspace.per_thread_bytes, 2);
  EXPECT_EQ(r.object.preparation, "fill");
  EXPECT_EQ(r.object.prepared_bytes, (std::vector<std::int64_t>{128}));

  RunnerReply sent{77,  Outcome::kWrongResult, "why", {true, 0.5, 0.25}, 3, {4, 11, 5, 6, 7, 8}, {9, 10}, {}, 1980, 41,
                   true};
  sent.resources = {{.kernel = "k", .registers = 32, .stack_bytes = 8, .shared_bytes = 1024}};
  const RunnerReply reply = decode_runner_reply(encode(sent));
  EXPECT_EQ(reply.number, 77);
  EXPECT_EQ(reply.outcome, Outcome::kWrongResult);
  EXPECT_TRUE(reply.evidence.verified);
  EXPECT_EQ(reply.evidence.largest_error_ratio, 0.25);
  EXPECT_EQ(reply.call_ns, 3);
  EXPECT_EQ(reply.reading.ns, 4);
  EXPECT_EQ(reply.reading.span_ns, 11);
  EXPECT_EQ(reply.reading.fma_ns, 5);
  EXPECT_EQ(reply.reading.cpu_ns, 6);
  EXPECT_EQ(reply.reading.queue_ns, 7);
  EXPECT_EQ(reply.reading.involuntary_switches, 8);
  EXPECT_EQ(reply.surroundings.walk_ns, 9);
  EXPECT_EQ(reply.surroundings.steal_ns, 10);
  EXPECT_EQ(reply.device_clock_mhz, 1980);
  EXPECT_EQ(reply.device_temperature_c, 41);
  EXPECT_TRUE(reply.is_lost);
  ASSERT_EQ(reply.resources.size(), 1u);
  EXPECT_EQ(reply.resources[0].kernel, "k");
  EXPECT_EQ(reply.resources[0].registers, 32);
  EXPECT_EQ(reply.resources[0].stack_bytes, 8);
  EXPECT_EQ(reply.resources[0].shared_bytes, 1024);
}

TEST(Protocol, AMessageThatEndsEarlyIsRefused) {
  const std::string whole = encode(RunnerReply{});
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_THROW(decode_runner_reply(whole.substr(0, n)), UsageError) << n;
  }
}

TEST(Protocol, ANumberThatNamesNothingIsRefused) {
  std::string reply = encode(RunnerReply{});
  reply[8] = 77;  // the outcome, after the number of the request
  EXPECT_THROW(decode_runner_reply(reply), UsageError);
  std::string request = encode(RunnerRequest{});
  request[0] = 77;  // its kind
  EXPECT_THROW(decode_runner_request(request), UsageError);
}

TEST(Protocol, AnotherVersionIsRefused) {
  EXPECT_NO_THROW(expect_hello(encode_hello()));
  try {
    expect_hello(Encoder().i64(kProtocolVersion + 1).str());
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_STREQ(
        e.what(),
        "nestwright-worker speaks version 14 of the protocol and 13 is needed; install both from one build, or "
        "set NESTWRIGHT_WORKER");
  }
}

}  // namespace
}  // namespace nestwright
