// Figures that show whether times measured on this machine can be trusted; bench/trust builds and runs this program.

#include <fmt/format.h>

#include <cstdio>

#include "bench/figures/report/figures.h"
#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

int main_or_throw(int argc, char** argv) {
  Publication publication;
  Action action;
  CLI::App app(
      "Measures whether times can be trusted, one figure per subcommand. The machine must be idle but for the loads "
      "that a figure starts. Exit codes: 0 done, whether the bars were met or not, 1 failed, 2 usage.",
      "bench/trust");
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--commit", publication.commit, "of the source, printed with the figure")->group("");
  app.add_option("--json", publication.json, "file for everything as one JSON document");
  for (const auto& add :
       {add_equal_figure, add_slower_figure, add_planted_figure, add_repeat_figure, add_fidelity_figure,
        add_cost_figure, add_hog_figure, add_budget_figure, add_load, add_exported_timing}) {
    add(app, action);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  action(publication);
  return 0;
}

}  // namespace
}  // namespace nestwright::bench

int main(int argc, char** argv) {
  try {
    return nestwright::bench::main_or_throw(argc, argv);
  } catch (const nestwright::UsageError& e) {
    fmt::print(stderr, "bench/trust: {}\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench/trust: {}\n", e.what());
    return 1;
  }
}
