// Who works on a session: a process, named so that another one on this machine can tell whether it still lives. Private
// to logs/.
#pragma once

#include <string>

namespace nestwright {

/// "boot id/process-id namespace/process id/start time".
std::string this_process();

/// False for a process that has ended, also where its number was given to another one or the machine was started anew.
/// A process in another container counts as ended: it cannot be seen from here.
bool process_lives(const std::string& owner);

}  // namespace nestwright
