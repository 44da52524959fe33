#include "target/description/machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace nestwright {

namespace {

// The value of the first line "key : value", as in /proc/cpuinfo; empty if there is none.
std::string cpuinfo_field(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    return colon == std::string::npos ? std::string() : line.substr(colon + 2);
  }
  return {};
}

// The bracketed choice of "always [madvise] never".
std::string huge_page_mode() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string line;
  std::getline(file, line);
  const std::size_t open = line.find('['), close = line.find(']');
  return open == std::string::npos || close == std::string::npos ? std::string()
                                                                 : line.substr(open + 1, close - open - 1);
}

}  // namespace

Machine Machine::host() {
  Machine m;
  m.cpu = host_cpu_model();
  m.isa = host_isa();
  m.features = host_features();
  m.cores = host_threads();
  m.caches = host_caches();
  m.memory_bytes = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  utsname name{};
  if (uname(&name) == 0) m.kernel = fmt::format("{} {}", name.sysname, name.release);
  m.microcode = cpuinfo_field("microcode");
  m.huge_pages = huge_page_mode();
  return m;
}

bool Machine::has(std::string_view feature) const {
  return std::find(features.begin(), features.end(), feature) != features.end();
}

std::string Machine::fingerprint() const {
  return fmt::format("{} {} family {} model {} stepping {}; {}; l1d {} l2 {} l3 {}", cpu.vendor, cpu.name, cpu.family,
                     cpu.model, cpu.stepping, fmt::join(features, " "), caches.l1d, caches.l2, caches.l3);
}

}  // namespace nestwright
