#include "logs/owner.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <sstream>

namespace nestwright {
namespace {

/// Changes with every boot and differs between containers that do not see each other's processes.
std::string scope() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot = "unknown";
  file >> boot;
  std::array<char, 64> link{};
  const ssize_t length = readlink("/proc/self/ns/pid", link.data(), link.size());
  return boot + "/" + std::string(link.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
}

/// Clock ticks since boot, the 22nd field of /proc/PID/stat; empty where there is no such process or it is a zombie.
std::string start_time(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string line;
  if (!std::getline(file, line)) return {};
  // The name in parentheses may hold anything.
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string field;
  fields >> field;
  if (field == "Z" || field == "X") return {};
  for (int i = 4; i <= 22; ++i) fields >> field;
  return field;
}

}  // namespace

std::string this_process() {
  const std::string pid = std::to_string(getpid());
  return fmt::format("{}/{}/{}", scope(), pid, start_time(pid));
}

bool process_lives(const std::string& owner) {
  const std::size_t start_at = owner.rfind('/');
  if (start_at == std::string::npos || start_at == 0) return false;
  const std::size_t pid_at = owner.rfind('/', start_at - 1);
  if (pid_at == std::string::npos || owner.substr(0, pid_at) != scope()) return false;
  const std::string start = start_time(owner.substr(pid_at + 1, start_at - pid_at - 1));
  return !start.empty() && start == owner.substr(start_at + 1);
}

}  // namespace nestwright
