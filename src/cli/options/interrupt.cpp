#include "cli/options/interrupt.h"

#include <unistd.h>

#include <csignal>

#include "cli/options/exit_code.h"

namespace nestwright::cli {
namespace {

std::atomic<bool> interrupted = false;

/// The first signal asks the work to end; a second one ends the process at once.
void on_signal(int) {
  if (interrupted.exchange(true)) _exit(kInterrupted);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);  // nohup ignores SIGHUP
}

const std::atomic<bool>& interrupt_flag() { return interrupted; }

}  // namespace nestwright::cli
