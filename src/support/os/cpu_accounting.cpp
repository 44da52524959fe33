#include "support/os/cpu_accounting.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>

#include <array>
#include <cstdlib>
#include <ctime>
#include <memory>

namespace nestwright {
namespace {

double nanoseconds(const timespec& t) { return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec); }

// The second field of "run wait slices"; absent once the thread has ended.
std::optional<double> read_wait_ns(int fd) {
  std::array<char, 96> text{};
  if (fd < 0 || pread(fd, text.data(), text.size() - 1, 0) <= 0) return std::nullopt;
  char* wait = nullptr;
  std::strtoull(text.data(), &wait, 10);
  char* end = nullptr;
  const auto ns = static_cast<double>(std::strtoull(wait, &end, 10));
  if (end == wait) return std::nullopt;
  return ns;
}

}  // namespace

CpuAccounting::CpuAccounting(std::string task_folder) : task_folder_(std::move(task_folder)) { list_threads(); }

void CpuAccounting::list_threads() {
  // The id of a thread that ended may have been reused for another one.
  std::erase_if(threads_, [&](const auto& each) {
    if (read_wait_ns(each.second.schedstat.get())) return false;
    ended_wait_ns_ += each.second.last_ns;
    return true;
  });
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir(task_folder_.c_str()), closedir);
  if (!folder) return;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string id = entry->d_name;
    if (id.front() == '.' || threads_.contains(id)) continue;
    Thread thread;
    thread.schedstat = UniqueFd(open((task_folder_ + "/" + id + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC));
    const std::optional<double> wait = read_wait_ns(thread.schedstat.get());
    if (!wait) continue;
    thread.listed_ns = *wait;
    threads_.emplace(id, std::move(thread));
  }
}

CpuUsage CpuAccounting::now() {
  CpuUsage usage;
  timespec cpu{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
  usage.cpu_ns = nanoseconds(cpu);
  rusage resources{};
  getrusage(RUSAGE_SELF, &resources);
  usage.involuntary_switches = resources.ru_nivcsw;
  usage.wait_ns = ended_wait_ns_;
  for (auto& [id, thread] : threads_) {
    if (const std::optional<double> wait = read_wait_ns(thread.schedstat.get())) {
      thread.last_ns = *wait - thread.listed_ns;
    }
    usage.wait_ns += thread.last_ns;
  }
  return usage;
}

std::optional<double> child_cpu_ns(pid_t pid) {
  clockid_t clock{};
  timespec cpu{};
  if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &cpu) != 0) return std::nullopt;
  return nanoseconds(cpu);
}

}  // namespace nestwright
