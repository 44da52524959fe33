// The copies to shared memory of one thread in the interpreter. Those of a group, and asynchronous ones
// (Store::asynchronous), take effect as late as permitted, when a barrier waits for them, so that a barrier that waits
// for too few groups is detected. Private to ir/. Thread rule: an object belongs to one run of the interpreter.
// Units: sizes are in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "ir/interpret/frame.h"

namespace nestwright::ir {

class CopyQueue {
 public:
  /// Begins a copy to an element; to be called before the element is written. Requires that it is not in flight.
  void begin(Storage& storage, std::size_t element, std::size_t element_bytes);
  /// Puts the copy that was begun last in flight; to be called once its element has been written.
  void delay_last();
  /// Commits the copies begun since the last barrier or group: they are in flight from now on.
  void commit();
  /// Completes all groups but the latest `pending`, and where `pending` is 0 the asynchronous copies without a group.
  /// Other copies without a group are complete already.
  void wait(std::size_t pending);
  /// Drops all copies to `storage`, which ceases to exist.
  void forget(const Storage& storage);

 private:
  struct Copy {
    Storage* storage;
    std::size_t element;
    std::vector<std::byte> bytes;  ///< in flight: the element's new value; before: the value that the copy overwrote
    bool is_in_flight = false;
  };
  static void delay(Copy& copy);
  static void finish(const Copy& copy);
  static std::byte* place(const Copy& copy) { return copy.storage->bytes.data() + copy.element * copy.bytes.size(); }

  std::vector<Copy> begun_;
  std::deque<std::vector<Copy>> groups_;  ///< oldest first
};

}  // namespace nestwright::ir
