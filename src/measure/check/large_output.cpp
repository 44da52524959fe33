#include "measure/check/large_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "ir/core/elements.h"

namespace nestwright {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMaxParts = 1024;

/// The error of a value: infinite if it is not a number.
double error_of(double got, double expected, double modulus) {
  if (got == expected) return 0;
  const double difference = std::abs(modulus > 0 ? std::remainder(got - expected, modulus) : got - expected);
  return difference <= kInfinity ? difference : kInfinity;
}

double ratio_of(double error, double bound) { return error == 0 || bound == kInfinity ? 0 : error / bound; }

std::string check_samples(std::size_t parameter, ir::Type type, const void* result, const LargeExpectation& expectation,
                          Evidence& evidence) {
  const std::span<const double> places = expectation.places(), expected = expectation.expected(),
                                bound = expectation.bound();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double got = ir::element_at(type, result, static_cast<std::int64_t>(places[i]));
    const double error = error_of(got, expected[i], 0);
    evidence.largest_error = std::max(evidence.largest_error, error);
    evidence.largest_error_ratio = std::max(evidence.largest_error_ratio, ratio_of(error, bound[i]));
    if (error <= bound[i] && error < kInfinity) continue;
    const std::string found =
        fmt::format("parameter {} element {:.0f}: expected {:.9g}, got {:.9g}", parameter, places[i], expected[i], got);
    if (bound[i] == 0) return found + ", where no error is allowed";
    return fmt::format("{}, allowed error {:.3g}", found, bound[i]);
  }
  return {};
}

/// The first wrong sum, and the largest error of all of them.
struct WrongSum {
  std::int64_t line = -1, vector = 0;
  double got = 0;
};
struct LineFindings {
  WrongSum wrong;
  double largest_error_ratio = 0;
};

/// Compares the sums of the lines of groups begin .. end - 1.
LineFindings check_groups(ir::Type type, const void* result, const LargeExpectation& expectation, std::int64_t begin,
                          std::int64_t end) {
  const ir::ElementLines& lines = expectation.lines();
  LineFindings findings;
  std::vector<double> sums(static_cast<std::size_t>(lines.inner));
  for (std::int64_t group = begin; group < end; ++group) {
    for (std::int64_t v = 0; v < expectation.vectors(); ++v) {
      ir::sum_lines(lines, group, type, result, expectation.weights(v), sums);
      const auto first = static_cast<std::size_t>(group * lines.inner);
      const std::span<const double> expected = expectation.sums(v).subspan(first, sums.size()),
                                    bound = expectation.bounds(v).subspan(first, sums.size());
      for (std::size_t i = 0; i < sums.size(); ++i) {
        if (bound[i] == kInfinity) continue;
        const double error = error_of(sums[i], expected[i], expectation.modulus());
        findings.largest_error_ratio = std::max(findings.largest_error_ratio, ratio_of(error, bound[i]));
        if (error > bound[i] && findings.wrong.line < 0) {
          findings.wrong = {static_cast<std::int64_t>(first + i), v, sums[i]};
        }
      }
    }
  }
  return findings;
}

/// Names the elements of a line.
std::string line_text(const ir::ElementLines& lines, std::int64_t line) {
  const std::int64_t group = line / lines.inner, first = lines.first_of(group) + line % lines.inner;
  const std::int64_t last = first + (lines.length_of(group) - 1) * lines.step;
  if (first == last) return fmt::format("element {}", first);
  return lines.step == 1 ? fmt::format("elements {} to {}", first, last)
                         : fmt::format("elements {}, {}, ... {}", first, first + lines.step, last);
}

std::string check_sums(std::size_t parameter, ir::Type type, const void* result, const LargeExpectation& expectation,
                       Evidence& evidence, const RunParts& run) {
  const ir::ElementLines& lines = expectation.lines();
  const std::int64_t groups = lines.groups(), parts = std::min(kMaxParts, groups);
  std::vector<LineFindings> findings(static_cast<std::size_t>(parts));
  run(parts, [&](std::int64_t part) {
    findings[static_cast<std::size_t>(part)] =
        check_groups(type, result, expectation, part * groups / parts, (part + 1) * groups / parts);
  });
  for (const LineFindings& found : findings) {
    evidence.largest_error_ratio = std::max(evidence.largest_error_ratio, found.largest_error_ratio);
  }
  for (const LineFindings& found : findings) {
    const WrongSum& wrong = found.wrong;
    if (wrong.line < 0) continue;
    const auto at = static_cast<std::size_t>(wrong.line);
    return fmt::format("parameter {} {}: their weighted sum must be {:.9g} and is {:.9g}, allowed error {:.3g}",
                       parameter, line_text(lines, wrong.line), expectation.sums(wrong.vector)[at], wrong.got,
                       expectation.bounds(wrong.vector)[at]);
  }
  return {};
}

/// Whether something was written between the rows of elements.
bool is_written_between(ir::Type type, const void* result, const LargeExpectation& expectation, const RunParts& run) {
  const ir::ElementLines& lines = expectation.lines();
  if (lines.elements() == expectation.elements()) return false;
  // Runs of neighbours: of the elements of a line, or of lines.
  std::vector<std::int64_t> starts;
  const bool along = lines.inner == 1 && lines.step == 1;
  const std::int64_t length = along ? lines.length : lines.inner;
  for (std::int64_t b = 0; b < lines.batch; ++b) {
    for (std::int64_t o = 0; o < lines.outer; ++o) {
      const std::int64_t row = b * lines.batch_step + o * lines.outer_step;
      for (std::int64_t e = 0; e < (along ? 1 : lines.length); ++e) starts.push_back(row + e * lines.step);
    }
  }
  std::sort(starts.begin(), starts.end());
  std::atomic<bool> is_written = false;
  const auto* const bytes = static_cast<const unsigned char*>(result);
  const auto count = static_cast<std::int64_t>(starts.size()), parts = std::min(kMaxParts, count);
  run(parts, [&](std::int64_t part) {
    for (std::int64_t i = part * count / parts; i < (part + 1) * count / parts; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const std::int64_t end = starts[at] + length, next = i + 1 < count ? starts[at + 1] : expectation.elements();
      const bool untouched = std::all_of(bytes + end * type.bytes(), bytes + std::max(end, next) * type.bytes(),
                                         [](unsigned char byte) { return byte == 0xff; });
      if (!untouched) is_written = true;
    }
  });
  return is_written;
}

}  // namespace

void run_in_turn(std::int64_t parts, const std::function<void(std::int64_t)>& f) {
  for (std::int64_t part = 0; part < parts; ++part) f(part);
}

std::int64_t LargeExpectation::vectors() const {
  return has_lines() ? static_cast<std::int64_t>(part(2 * layout_.samples, 1)[0]) : 0;
}

std::string explain_large_mismatch(std::size_t parameter, ir::Type type, const void* result,
                                   const LargeExpectation& expectation, Evidence& evidence, const RunParts& run) {
  std::string wrong = check_samples(parameter, type, result, expectation, evidence);
  if (!wrong.empty() || !expectation.has_lines()) return wrong;
  wrong = check_sums(parameter, type, result, expectation, evidence, run);
  if (!wrong.empty()) return wrong;
  if (is_written_between(type, result, expectation, run)) {
    return fmt::format("parameter {}: it wrote between the rows", parameter);
  }
  return {};
}

}  // namespace nestwright
