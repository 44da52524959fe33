// What a fresh process of a kernel is expected to show, from its medians in several processes: the time, the range of
// undisturbed processes, and apart from it how often a process was slow and by how much.
// Thread rule: values and pure functions. Unit: nanoseconds per call.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace nestwright {

/// The times of one kernel in several processes.
struct ProcessRange {
  double median = 0;
  double low = 0, high = 0;  ///< where 90% of undisturbed processes lie
  int processes = 0;         ///< in all
  int slow = 0;              ///< of these, how many were disturbed throughout: they do not widen the range
  double slow_ratio = 1;     ///< the median of the slow ones relative to `median`
};

/// Returns the range from the medians of the processes. A process is slow if it took at least 5% longer than the median
/// and is far above it on a robust scale; at most a quarter of them are, since what happens more often is what a user
/// has to expect. The range is a prediction interval for one more process (Student's t, 90%, over the logarithms of the
/// others' medians, whose scale is robust), and at least 1% to each side. One process does not show how processes
/// differ: its range is 3% to each side. None gives zeros. Requires positive medians.
ProcessRange process_range(std::span<const double> medians);

/// How often a process was slow and by how much, for people: "1 of 16 processes took 1.8 times as long"; empty if none
/// was.
std::string slow_text(const ProcessRange& range);

/// Returns how much times scatter, relative to their median: the standard deviation of their logarithms, as the median
/// absolute deviation estimates it; 0 for fewer than three. Requires positive times.
double robust_scatter(std::span<const double> times);

/// Returns the processes in which the kernels of a race were slower together than in the others: each kernel's median
/// relative to its typical one, the median over the kernels, is far above that of the other processes. There is one map
/// for each kernel, from the number of a process to the kernel's median in it. At most a quarter of the processes are
/// slow. Requires positive medians.
std::set<int> slow_together(std::span<const std::map<int, double>> kernels);

}  // namespace nestwright
