// Restricts the file and network access of this process permanently, by the kernel's Landlock, before it runs untrusted
// code. Descriptors that are already open stay usable.
// Thread rule: applies to the calling thread and the threads that it starts later, so call it before there are others.
#pragma once

#include <string>
#include <vector>

namespace nestwright {

/// Paths of folders, each including everything below it, or of single files. Paths that do not exist are ignored.
struct FileAccess {
  std::vector<std::string> readable;
  std::vector<std::string> writable;    ///< also readable; files may be created and removed there
  std::vector<std::string> executable;  ///< programs may be started from there
};

/// Returns the version of the kernel's Landlock interface: version 1 covers files, 4 adds TCP, 6 adds signals to other
/// processes. 0 if Landlock is missing or disabled.
int landlock_version();

/// From now on this process cannot open any other file, make a TCP connection or signal a process outside, to the
/// extent that the kernel's version supports each. Returns false if nothing was restricted.
bool restrict_files_and_network(const FileAccess& access);

}  // namespace nestwright
