#include "ir/interpret/copy_queue.h"

#include <algorithm>
#include <utility>

namespace nestwright::ir {

void CopyQueue::begin(Storage& storage, std::size_t element, std::size_t element_bytes) {
  Copy& copy = begun_.emplace_back(Copy{&storage, element, std::vector<std::byte>(element_bytes)});
  std::copy_n(place(copy), element_bytes, copy.bytes.begin());
}

void CopyQueue::commit() {
  for (auto copy = begun_.rbegin(); copy != begun_.rend(); ++copy) {
    std::swap_ranges(copy->bytes.begin(), copy->bytes.end(), place(*copy));
    copy->storage->in_flight.insert(copy->element);
  }
  groups_.push_back(std::exchange(begun_, {}));
}

void CopyQueue::wait(std::size_t pending) {
  begun_.clear();
  for (; groups_.size() > pending; groups_.pop_front()) {
    for (const Copy& copy : groups_.front()) {
      std::copy(copy.bytes.begin(), copy.bytes.end(), place(copy));
      copy.storage->in_flight.erase(copy.element);
    }
  }
}

void CopyQueue::forget(const Storage& storage) {
  const auto is_there = [&](const Copy& copy) { return copy.storage == &storage; };
  std::erase_if(begun_, is_there);
  for (std::vector<Copy>& group : groups_) std::erase_if(group, is_there);
}

}  // namespace nestwright::ir
