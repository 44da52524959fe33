// The figures of bench/trust; each is a subcommand. Thread rule: one thread at a time.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

#include "bench/figures/report/report.h"

namespace nestwright::bench {

/// Computes and publishes the chosen figure.
using Action = std::function<void(const Publication&)>;

void add_equal_figure(CLI::App& app, Action& action);
void add_slower_figure(CLI::App& app, Action& action);
void add_planted_figure(CLI::App& app, Action& action);
void add_repeat_figure(CLI::App& app, Action& action);
void add_fidelity_figure(CLI::App& app, Action& action);
void add_cost_figure(CLI::App& app, Action& action);
void add_hog_figure(CLI::App& app, Action& action);
void add_budget_figure(CLI::App& app, Action& action);
/// Subcommands that the figures start as processes.
void add_load(CLI::App& app, Action& action);
void add_exported_timing(CLI::App& app, Action& action);

}  // namespace nestwright::bench
