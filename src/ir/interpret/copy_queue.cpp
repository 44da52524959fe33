#include "ir/interpret/copy_queue.h"

#include <algorithm>
#include <utility>

namespace nestwright::ir {

void CopyQueue::begin(Storage& storage, std::size_t element, std::size_t element_bytes) {
  Copy& copy = begun_.emplace_back(Copy{&storage, element, std::vector<std::byte>(element_bytes)});
  std::copy_n(place(copy), element_bytes, copy.bytes.begin());
}

void CopyQueue::delay(Copy& copy) {
  std::swap_ranges(copy.bytes.begin(), copy.bytes.end(), place(copy));
  copy.storage->in_flight.insert(copy.element);
  copy.is_in_flight = true;
}

void CopyQueue::finish(const Copy& copy) {
  std::copy(copy.bytes.begin(), copy.bytes.end(), place(copy));
  copy.storage->in_flight.erase(copy.element);
}

void CopyQueue::delay_last() { delay(begun_.back()); }

void CopyQueue::commit() {
  for (auto copy = begun_.rbegin(); copy != begun_.rend(); ++copy) {
    if (!copy->is_in_flight) delay(*copy);
  }
  groups_.push_back(std::exchange(begun_, {}));
}

void CopyQueue::wait(std::size_t pending) {
  std::erase_if(begun_, [](const Copy& copy) { return !copy.is_in_flight; });
  for (; groups_.size() > pending; groups_.pop_front()) {
    for (const Copy& copy : groups_.front()) finish(copy);
  }
  if (pending > 0) return;
  for (const Copy& copy : begun_) finish(copy);
  begun_.clear();
}

void CopyQueue::forget(const Storage& storage) {
  const auto is_there = [&](const Copy& copy) { return copy.storage == &storage; };
  std::erase_if(begun_, is_there);
  for (std::vector<Copy>& group : groups_) std::erase_if(group, is_there);
}

}  // namespace nestwright::ir
