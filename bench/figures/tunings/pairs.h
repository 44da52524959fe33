// Runs many races of two kernels under a load. Thread rule: one thread at a time.
#pragma once

#include <vector>

#include "bench/figures/machine/load.h"
#include "bench/figures/report/report.h"
#include "bench/figures/report/verdict.h"
#include "bench/figures/tunings/kernels.h"

namespace nestwright::bench {

struct TwoKernels {
  Task task;
  const CompiledObject* first = nullptr;
  const CompiledObject* second = nullptr;
};

/// Reports progress on standard error.
std::vector<PairedRace> race_pairs(const TwoKernels& kernels, LoadKind load, int races);

/// Every race, for the JSON document.
nlohmann::json races_json(const std::vector<PairedRace>& races);

/// Adds the rows that figures of pairs share: the number of races, the disturbed ones, and the width of the intervals.
void add_tally_rows(std::vector<FigureRow>& rows, const std::string& condition, const Tally& tally);

}  // namespace nestwright::bench
