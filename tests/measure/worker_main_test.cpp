// The worker executable: that it ends with its parent, and its messages to people.
#include <gtest/gtest.h>
#include <signal.h>

#include "measure/process/protocol.h"
#include "measure/process/worker_process.h"
#include "support/base/clock.h"
#include "tests/measure/use_worker.h"

namespace nestwright {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

SpawnOptions worker(const char* role, int channel_fd) { return {WORKER, {role, "0"}, {channel_fd}}; }

TEST(Worker, EndsWhenItsParentIsGone) {
  auto [ours, theirs] = Channel::make_pair();
  ChildProcess process(worker("builder", theirs.get()));
  theirs = UniqueFd();
  Channel channel(std::move(ours));
  std::string hello;
  ASSERT_EQ(channel.receive(hello, 20 * kSecond), Channel::Status::kMessage);
  EXPECT_FALSE(process.wait_for(20'000'000)) << "as long as we are there, it stays";
  {
    const Channel gone = std::move(channel);
  }
  EXPECT_TRUE(process.wait_for(2 * kSecond));
}

TEST(Worker, EndsWithItsParentEvenWhileItIsBusy) {
  auto [ours, theirs] = Channel::make_pair();
  ChildProcess process({FAKE_WORKER, {"builder", "0"}, {theirs.get()}});
  theirs = UniqueFd();
  {
    Channel channel(std::move(ours));
    std::string hello;
    ASSERT_EQ(channel.receive(hello, 20 * kSecond), Channel::Status::kMessage);
    channel.send("cpu");
    channel.send(encode(CompileRequest{Pipeline::kSearch, "hang"}));
    EXPECT_FALSE(process.wait_for(50'000'000));
  }
  EXPECT_TRUE(process.wait_for(2 * kSecond));
}

TEST(Worker, TellsPeopleThatItIsNotForThem) {
  ChildProcess process({WORKER, {}, {}});
  EXPECT_EQ(process.wait().str(), "exit code 2");
  EXPECT_EQ(process.stderr_tail(), "nestwright-worker is started by nestwright and is not for use by hand");
  auto [ours, theirs] = Channel::make_pair();
  ChildProcess odd(worker("juggler", theirs.get()));
  EXPECT_EQ(odd.wait().str(), "exit code 1");
  EXPECT_EQ(odd.stderr_tail(), "nestwright-worker has no role \"juggler\"");
}

TEST(Worker, IsFoundByTheEnvironment) {
  use_worker(WORKER);
  EXPECT_EQ(worker_path(), WORKER);
}

}  // namespace
}  // namespace nestwright
