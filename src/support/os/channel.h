// A message channel between a process and its child, over a Unix socket. Messages, of at most 1 GiB, are sent and
// received whole, with a time limit, and a dead peer is an ordinary result, not an error. Sockets are used instead of
// pipes because a write to a dead peer can then be made without SIGPIPE.
// Thread rule: one thread at a time. Unit: nanoseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "support/os/unique_fd.h"

namespace nestwright {

class Channel {
 public:
  enum class Status : std::uint8_t { kMessage, kTimeout, kClosed };
  static constexpr std::int64_t kForever = -1;

  /// Takes ownership of the descriptor.
  explicit Channel(UniqueFd fd) : fd_(std::move(fd)) {}
  /// Returns the two ends of a new channel. Both are closed on exec unless they are passed on
  /// (SpawnOptions::inherited_fds). Throws Error if the socket pair cannot be made.
  static std::pair<UniqueFd, UniqueFd> make_pair();

  /// Returns false if the peer is gone or does not accept the message in time; the channel is unusable afterwards.
  bool send(std::string_view message, std::int64_t timeout_ns = kForever);
  /// Receives one message into `message`, which is unchanged unless the result is kMessage. A message that was received
  /// only in part is kept for the next call. A timeout of 0 takes only what has already arrived.
  Status receive(std::string& message, std::int64_t timeout_ns = kForever);
  /// The descriptor, for poll().
  int fd() const { return fd_.get(); }

 private:
  bool take_message(std::string& message);

  UniqueFd fd_;
  std::string received_;
  bool broken_ = false;
};

}  // namespace nestwright
