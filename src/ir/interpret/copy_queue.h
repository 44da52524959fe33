// The copies to shared memory that a thread has begun and not waited for, as the interpreter runs them: those of a
// group happen as late as they may, when a barrier waits for the group, so that a barrier that waits for too few is
// seen. So do asynchronous copies (Store::asynchronous), from the beginning on. Private to ir/. Thread rule: none; all of it belongs to one run of the interpreter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "ir/interpret/frame.h"

namespace nestwright::ir {

class CopyQueue {
 public:
  /// To be called before the element is written. Requires that it is not in flight.
  void begin(Storage& storage, std::size_t element, std::size_t element_bytes);
  /// The copy that was begun last, whose element has been written, is in flight from here on.
  void delay_last();
  /// What was begun since the last barrier or group is in flight from here on.
  void commit();
  /// All groups happen but the latest `pending`, and where `pending` is 0 the asynchronous copies that are in none;
  /// other copies that were never committed have happened already.
  void wait(std::size_t pending);
  /// `storage` ceases to exist.
  void forget(const Storage& storage);

 private:
  struct Copy {
    Storage* storage;
    std::size_t element;
    std::vector<std::byte> bytes;  ///< until it is in flight those before it, from then on its own
    bool is_in_flight = false;
  };
  static void delay(Copy& copy);
  static void finish(const Copy& copy);
  static std::byte* place(const Copy& copy) { return copy.storage->bytes.data() + copy.element * copy.bytes.size(); }

  std::vector<Copy> begun_;
  std::deque<std::vector<Copy>> groups_;  ///< the oldest first
};

}  // namespace nestwright::ir
