// Ctrl-C and other signals that ask the process to end. Thread rule: one thread installs the handlers; any thread may
// read the flag.
#pragma once

#include <atomic>

namespace nestwright::cli {

/// SIGINT, SIGTERM and, unless it is ignored, SIGHUP set the flag; a second one ends the process at once.
void install_signal_handlers();
const std::atomic<bool>& interrupt_flag();
inline bool is_interrupted() { return interrupt_flag(); }

}  // namespace nestwright::cli
