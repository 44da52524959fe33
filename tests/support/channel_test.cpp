#include "support/os/channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <optional>
#include <thread>

#include "support/base/clock.h"

namespace nestwright {
namespace {

using Status = Channel::Status;

struct Pair {
  std::optional<Channel> a, b;
  Pair() {
    auto [x, y] = Channel::make_pair();
    a.emplace(std::move(x));
    b.emplace(std::move(y));
  }
};

TEST(Channel, MessagesKeepTheirBounds) {
  Pair p;
  ASSERT_TRUE(p.a->send("one"));
  ASSERT_TRUE(p.a->send(""));
  ASSERT_TRUE(p.a->send("three"));
  std::string m;
  for (const char* expected : {"one", "", "three"}) {
    ASSERT_EQ(p.b->receive(m, 0), Status::kMessage);
    EXPECT_EQ(m, expected);
  }
  EXPECT_EQ(p.b->receive(m, 0), Status::kTimeout);
}

TEST(Channel, AMessageLargerThanTheSocketsBufferArrivesWhole) {
  Pair p;
  const std::string big(5 << 20, 'x');
  std::thread sender([&] { EXPECT_TRUE(p.a->send(big)); });
  std::string m;
  EXPECT_EQ(p.b->receive(m), Status::kMessage);
  sender.join();
  EXPECT_EQ(m, big);
}

TEST(Channel, APeerThatDoesNotReadEndsTheSendInTime) {
  Pair p;
  const std::string more_than_fits(4 << 20, 'x');
  const std::int64_t start = steady_clock().now_ns();
  EXPECT_FALSE(p.a->send(more_than_fits, 50'000'000));
  const std::int64_t passed = steady_clock().now_ns() - start;
  EXPECT_GE(passed, 50'000'000);
  EXPECT_LT(passed, 5'000'000'000) << "generous: tests share their machine";
}

TEST(Channel, WaitsAsLongAsItIsTold) {
  Pair p;
  std::string m;
  const std::int64_t start = steady_clock().now_ns();
  EXPECT_EQ(p.a->receive(m, 30'000'000), Status::kTimeout);
  EXPECT_GE(steady_clock().now_ns() - start, 30'000'000);
}

TEST(Channel, ADeadPeerIsAnAnswer) {
  Pair p;
  ASSERT_TRUE(p.b->send("last words"));
  p.b.reset();
  std::string m;
  EXPECT_EQ(p.a->receive(m), Status::kMessage) << "what was sent before it died still counts";
  EXPECT_EQ(m, "last words");
  EXPECT_EQ(p.a->receive(m), Status::kClosed);
  EXPECT_FALSE(p.a->send("anyone?"));
}

TEST(Channel, GarbageClosesIt) {
  Pair p;
  ASSERT_EQ(send(p.a->fd(), "\xff\xff\xff\xff\xff\xff\xff\xff", 8, 0), 8);
  std::string m;
  EXPECT_EQ(p.b->receive(m), Status::kClosed);
}

}  // namespace
}  // namespace nestwright
