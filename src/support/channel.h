// Messages between a process and its child over a socket: each is sent and received whole, both with a time limit, and
// a peer that has died is an ordinary answer. Sockets and not pipes, because writing to a dead peer then raises no
// SIGPIPE. Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "support/unique_fd.h"

namespace nestwright {

class Channel {
 public:
  enum class Status : std::uint8_t { kMessage, kTimeout, kClosed };
  static constexpr std::int64_t kForever = -1;

  /// Takes the descriptor over.
  explicit Channel(UniqueFd fd) : fd_(std::move(fd)) {}
  /// The two ends of a new channel; neither survives an exec unless it is handed on.
  static std::pair<UniqueFd, UniqueFd> make_pair();

  /// False where the peer is gone or does not take the message in time: the channel is then of no further use.
  bool send(std::string_view message, std::int64_t timeout_ns = kForever);
  /// A partly received message is kept for the next call. Timeout 0 takes only what is there already.
  Status receive(std::string& message, std::int64_t timeout_ns = kForever);
  /// For poll().
  int fd() const { return fd_.get(); }

 private:
  bool take_message(std::string& message);

  UniqueFd fd_;
  std::string received_;
  bool broken_ = false;
};

}  // namespace nestwright
