// Counts the accesses of emulated warps: a part of the emulation that warp_emulation.cpp puts in front of a source.
// Thread rule: a constant.
#pragma once

namespace nestwright::testing {

/// Defines Counted<T>, a pointer that records its accesses; nw_note(), which records those of instructions; nw_array(),
/// which declares an array; nw_count(); and nw_print_accesses(), which prints a line for each array and kind of access.
/// The nth accesses of a warp's threads at one place of the source count as one access of the warp. Shared memory has
/// 32 banks of 4 bytes; the words of one bank are served one after the other, for 32 threads at a time if each has 4
/// bytes or fewer, 16 threads with 8 bytes, and 8 threads with 16 (CUDA C++ Programming Guide, "Shared Memory"). Global
/// memory is moved by sectors of 32 bytes ("Device Memory Accesses").
inline constexpr const char* kAccessCounts = R"(
using Site = std::tuple<const void*, const char*, unsigned>;  // where, kind, bytes
struct Totals { unsigned long count = 0, conflicts = 0, sectors = 0, used = 0; };
struct Array { const char *name, *begin, *end; bool shared; };
static std::vector<Array> arrays;
static std::map<std::tuple<unsigned, Site, unsigned>, std::map<unsigned, const char*>> by_warp;  // lane to address
static std::map<std::string, Totals> totals;
static std::mutex noting;
static thread_local std::map<Site, unsigned> times;

static void nw_array(const char* name, const void* begin, unsigned long bytes, bool shared) {
  const std::lock_guard<std::mutex> lock(noting);
  for (const Array& known : arrays) if (known.begin == begin) return;
  arrays.push_back({name, (const char*)begin, (const char*)begin + bytes, shared});
}
static void nw_note(const void* at_text, const char* kind, const void* at, unsigned bytes) {
  const Site site{at_text, kind, bytes};
  const unsigned nth = times[site]++;
  const std::lock_guard<std::mutex> lock(noting);
  by_warp[{warp_number(), site, nth}][lane()] = (const char*)at;
}
// The last one that begins in front of it: of arrays in one piece of memory only that is known.
static const Array* array_of(const char* at) {
  const Array* found = nullptr;
  for (const Array& array : arrays) {
    if (array.begin <= at && at < array.end && (!found || found->begin < array.begin)) found = &array;
  }
  return found;
}
// After each block: its warps have come to an end.
static void nw_count() {
  for (const auto& [key, lanes] : by_warp) {
    const auto& [where, kind, bytes] = std::get<Site>(key);
    const Array* const array = array_of(lanes.begin()->second);
    if (array == nullptr) continue;  // registers
    Totals& total = totals[std::string(array->name) + ", " + kind + " of " + std::to_string(bytes) + " bytes"];
    ++total.count;
    std::set<long> sectors;
    std::map<unsigned, std::map<unsigned, std::set<long>>> words;  // of those at a time, by bank
    for (const auto& [lane, at] : lanes) {
      const long begin = at - array->begin;
      sectors.insert(begin / 32);
      for (long word = begin / 4; 4 * word < begin + bytes; ++word) {
        words[bytes <= 4 ? 0 : lane * bytes / 128][word % 32].insert(word);
      }
    }
    for (const auto& [turn, banks] : words) {
      unsigned long most = 1;
      for (const auto& [bank, of_bank] : banks) most = std::max(most, (unsigned long)of_bank.size());
      total.conflicts += most - 1;
    }
    if (!array->shared) total.sectors += sectors.size(), total.used += lanes.size() * bytes;
  }
  by_warp.clear();
}
static void nw_print_accesses() {
  for (const auto& [what, total] : totals) {
    if (total.sectors == 0) {
      printf("%s: %lu by warps, %lu bank conflicts\n", what.c_str(), total.count, total.conflicts);
    } else {
      printf("%s: %lu by warps, %lu sectors, of which %.0f%% are used\n", what.c_str(), total.count, total.sectors,
             100.0 * total.used / (32.0 * total.sectors));
    }
  }
}

template <class T> struct Counted;
template <class T> struct Element {
  T* at;
  const void* site;
  operator T() const { nw_note(site, "loads", at, sizeof(T)); return *at; }
  void operator=(const T& value) const { nw_note(site, "stores", at, sizeof(T)); *at = value; }
  void operator=(const Element& other) const { *this = (T)other; }
  Counted<T> operator&() const { return Counted<T>(at); }
};
template <class T> struct Counted {
  T* at;
  explicit Counted(T* to) : at(to) {}
  template <class U> explicit Counted(U* to) : at((T*)to) {}
  template <class U> explicit Counted(Counted<U> to) : at((T*)to.at) {}
  __attribute__((noinline)) Element<T> operator[](long i) const { return {at + i, __builtin_return_address(0)}; }
  __attribute__((noinline)) Element<T> operator*() const { return {at, __builtin_return_address(0)}; }
  operator T*() const { return at; }
};
)";

}  // namespace nestwright::testing
