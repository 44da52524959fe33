// cp.async on the host, a part of the emulation that warp_emulation.cpp puts in front of a source. A copy happens as
// late as is allowed, when its thread waits for it, so that a wait for too few copies changes the result. Thread rule:
// a constant.
#pragma once

namespace nestwright::testing {

/// Defines nw_copy_4, nw_copy_8 and nw_copy_16, nw_commit_copies() for cp.async.commit_group, nw_wait_for_copies(N) for
/// cp.async.wait_group N, and nw_wait_for_all_copies() for cp.async.wait_all.
inline constexpr const char* kCopyInstructions = R"(
struct Copy { void* to; unsigned char bytes[16]; int size; };
static thread_local std::vector<Copy> begun;
static thread_local std::deque<std::vector<Copy>> groups;
static unsigned most_in_flight;  // groups, behind a wait
static void copy(const void* site, void* to, const void* from, bool condition, int size) {
  nw_note(site, "copies to it", to, size);
  if (condition) nw_note(site, "copies from it", from, size);
  if ((unsigned long)to % size != 0 || (condition && (unsigned long)from % size != 0)) {
    puts("a copy is not aligned");
    __builtin_trap();
  }
  Copy& copy = begun.emplace_back(Copy{to, {}, size});
  if (condition) memcpy(copy.bytes, from, size);
}
static void nw_copy_16(void* to, const void* from, bool condition) {
  copy(__builtin_return_address(0), to, from, condition, 16);
}
static void nw_copy_8(void* to, const void* from, bool condition) {
  copy(__builtin_return_address(0), to, from, condition, 8);
}
static void nw_copy_4(void* to, const void* from, bool condition) {
  copy(__builtin_return_address(0), to, from, condition, 4);
}
static void nw_commit_copies() { groups.push_back(std::move(begun)), begun.clear(); }
static void nw_wait_for_copies(unsigned pending) {
  for (; groups.size() > pending; groups.pop_front()) {
    for (const Copy& copy : groups.front()) memcpy(copy.to, copy.bytes, copy.size);
  }
  if (thread_number() == 0 && groups.size() > most_in_flight) most_in_flight = groups.size();
}
static void nw_wait_for_all_copies() { nw_commit_copies(), nw_wait_for_copies(0); }
)";

}  // namespace nestwright::testing
