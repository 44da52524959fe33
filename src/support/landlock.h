// Files and network of this process, restricted for good by the kernel's Landlock: for processes that run code which
// may go wrong. Descriptors that are open stay usable. Thread rule: covers the calling thread and those it starts, so
// call it before there are others.
#pragma once

#include <string>
#include <vector>

namespace nestwright {

/// Folders with all that is in them, or single files; those that do not exist are left out.
struct FileAccess {
  std::vector<std::string> readable;
  std::vector<std::string> writable;    ///< also readable; files may be made and removed there
  std::vector<std::string> executable;  ///< programs may be started from there
};

/// The version of the kernel's interface: 1 has files, 4 TCP, 6 signals to other processes. 0: there is none, or it is
/// not allowed.
int landlock_version();

/// From now on no other file can be opened, no TCP connection made and no process outside be signalled, as far as the
/// kernel's version goes. False where nothing was restricted.
bool restrict_files_and_network(const FileAccess& access);

}  // namespace nestwright
