// TuningLog's limits: the highest rates ever measured on each machine.
#include <fmt/format.h>

#include <cmath>

#include "logs/state.h"
#include "nestwright/error.h"

namespace nestwright {

MachineLimits TuningLog::raise_limits(const std::string& machine, const MachineLimits& measured) {
  for (const double rate : {measured.fma_gflops, measured.read_gb_s}) {
    if (!std::isfinite(rate) || rate < 0) {
      throw LogError(fmt::format("a rate of {} cannot be a limit of machine '{}'", rate, machine));
    }
  }
  sqlite::Database& database = state_->database;
  sqlite::Transaction transaction(database);
  database
      .prepare(fmt::format("INSERT INTO machine_limit(machine, fma_gflops, read_gb_s, recorded_at) VALUES (?, ?, ?, {})"
                           " ON CONFLICT(machine) DO UPDATE SET fma_gflops = max(fma_gflops, excluded.fma_gflops),"
                           "  read_gb_s = max(read_gb_s, excluded.read_gb_s), recorded_at = excluded.recorded_at"
                           " WHERE excluded.fma_gflops > fma_gflops OR excluded.read_gb_s > read_gb_s",
                           kNow))
      .bind(machine, measured.fma_gflops, measured.read_gb_s)
      .run();
  sqlite::Statement select = database.prepare("SELECT fma_gflops, read_gb_s FROM machine_limit WHERE machine = ?");
  check(select.bind(machine).step(), "a row that was just written is not there");
  const MachineLimits stored{select.real(0), select.real(1)};
  transaction.commit();
  return stored;
}

}  // namespace nestwright
