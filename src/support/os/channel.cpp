#include "support/os/channel.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "nestwright/error.h"
#include "support/base/clock.h"
#include "support/os/descriptors.h"

namespace nestwright {

namespace {

using Length = std::uint64_t;
// A longer length is garbage from a corrupted peer, not a message.
constexpr Length kLongest = Length{1} << 30;

// True if the descriptor has `events` (or an error to report) before the deadline; -1 is no deadline.
bool wait_for(int fd, short events, std::int64_t deadline_ns) {
  for (;;) {
    int timeout_ms = -1;
    if (deadline_ns >= 0) {
      const std::int64_t left = std::max<std::int64_t>(0, deadline_ns - steady_clock().now_ns());
      timeout_ms = static_cast<int>(std::min<std::int64_t>((left + 999'999) / 1'000'000, 1'000'000));
    }
    pollfd entry{fd, events, 0};
    const int n = poll(&entry, 1, timeout_ms);
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return true;  // the read or write that follows reports the error
    if (deadline_ns >= 0 && steady_clock().now_ns() >= deadline_ns) return false;
  }
}

std::int64_t deadline_of(std::int64_t timeout_ns) { return timeout_ns < 0 ? -1 : steady_clock().now_ns() + timeout_ns; }

}  // namespace

std::pair<UniqueFd, UniqueFd> Channel::make_pair() {
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
    throw Error("cannot make a socket pair: " + descriptor_error_text(errno));
  }
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

bool Channel::send(std::string_view message, std::int64_t timeout_ns) {
  if (broken_) return false;
  const std::int64_t deadline = deadline_of(timeout_ns);
  const Length length = message.size();
  std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
  bytes += message;
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::send(fd(), bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      done += static_cast<std::size_t>(n);
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n >= 0 || errno != EAGAIN || !wait_for(fd(), POLLOUT, deadline)) {
      broken_ = true;
      return false;
    }
  }
  return true;
}

bool Channel::take_message(std::string& message) {
  Length length = 0;
  if (received_.size() < sizeof length) return false;
  std::memcpy(&length, received_.data(), sizeof length);
  if (length > kLongest) {
    broken_ = true;
    return false;
  }
  if (received_.size() - sizeof length < length) return false;
  message.assign(received_, sizeof length, length);
  received_.erase(0, sizeof length + length);
  return true;
}

Channel::Status Channel::receive(std::string& message, std::int64_t timeout_ns) {
  const std::int64_t deadline = deadline_of(timeout_ns);
  char buffer[65536];
  for (;;) {
    if (take_message(message)) return Status::kMessage;
    if (broken_) return Status::kClosed;
    const ssize_t n = recv(fd(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (n > 0) {
      received_.append(buffer, static_cast<std::size_t>(n));
    } else if (n < 0 && errno == EINTR) {
      continue;
    } else if (n == 0 || errno != EAGAIN) {
      broken_ = true;
    } else if (!wait_for(fd(), POLLIN, deadline)) {
      return Status::kTimeout;
    }
  }
}

}  // namespace nestwright
