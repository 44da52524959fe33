#include "tests/property/running_case.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstring>

namespace nestwright::property {
namespace {

struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<bool> running{false};
  std::atomic<std::uint64_t> seed{0};
};
std::array<Slot, 64> slots;

// The code below must be safe in a signal handler: it does not allocate, lock or format through the library.
void write_text(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;  // the error cannot be reported
}

void write_number(std::uint64_t n) {
  char digits[21];
  char* at = digits + sizeof(digits) - 1;
  *at = '\0';
  do {
    *--at = static_cast<char>('0' + n % 10);
    n /= 10;
  } while (n > 0);
  write_text(at);
}

extern "C" void name_cases_and_end(int signal) {
  write_text("crashed with signal ");
  write_number(static_cast<std::uint64_t>(signal));
  write_text("; again:\n");
  for (const Slot& slot : slots) {
    if (!slot.running) continue;
    write_text("  nestwright-soak --case ");
    write_number(slot.seed);
    write_text("\n");
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

}  // namespace

RunningCase::RunningCase(std::uint64_t seed) : slot_(0) {
  while (slot_ < slots.size() && slots[slot_].taken.exchange(true)) ++slot_;
  if (slot_ == slots.size()) return;
  slots[slot_].seed = seed;
  slots[slot_].running = true;
}

RunningCase::~RunningCase() {
  if (slot_ == slots.size()) return;
  slots[slot_].running = false;
  slots[slot_].taken = false;
}

void name_running_cases_at_crash() {
  struct sigaction action = {};
  action.sa_handler = name_cases_and_end;
  action.sa_flags = static_cast<int>(SA_NODEFER | SA_RESETHAND);
  for (const int signal : {SIGSEGV, SIGILL, SIGBUS, SIGFPE, SIGABRT}) sigaction(signal, &action, nullptr);
}

}  // namespace nestwright::property
