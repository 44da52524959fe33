// The permission to use tile registers (AMX): their state is large, so that Linux gives it to processes that ask.
// Thread rule: any thread; what is given holds for all threads of the process, and over fork, not over exec.
#pragma once

namespace nestwright {

/// Asks once a process. True where tile registers may be used from now on; false where the processor has none or the
/// operating system refuses (as with an alternative signal stack too small for their state).
bool allow_tiles();

}  // namespace nestwright
