// What the programs of a run had in them, and what became of the cases.
// Thread rule: values; each thread counts for itself and the counts are added up.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "tests/property/case.h"
#include "tests/property/check.h"

namespace nestwright::property {

class Counts {
 public:
  static constexpr std::size_t kTails = 4, kReducers = 8;

  /// A program that was run and agreed: which primitives, tails and reducers it had.
  void add_program(const Schedule& schedule, const Expression& expression, const Depth& depth);
  void add_attempt(const Drawn& drawn) { refused_primitives += drawn.refused; }
  void add_verdict(const Outcome& outcome);
  void add(const Counts& other);

  /// Programs by primitive, tail (of any split in them) and reducer (of any reduction, tuples' among them; the last
  /// column: where the primitive was applied to a part of a scan): one line a primitive and tail.
  std::string table() const;
  /// Combinations that no program had, "split x guard x sum"; empty where all came up.
  std::vector<std::string> missing() const;
  std::string summary() const;

  std::int64_t programs = 0, vector_forms = 0, compiled = 0, refused_primitives = 0, replayed = 0;
  std::map<Verdict, std::int64_t> verdicts;
  std::map<std::string, std::int64_t> refusals;  ///< of the lowering, by what follows the first name in the message

 private:
  using Cells = std::array<std::array<std::int64_t, kReducers>, kTails>;
  std::map<std::string, Cells> cells_;  ///< by primitive
};

}  // namespace nestwright::property
