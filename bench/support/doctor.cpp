#include "bench/support/doctor.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

#include "bench/support/child.h"
#include "nestwright/error.h"

namespace nestwright::bench {

nlohmann::json ask_doctor() {
  const std::string output = own_folder() + "/compare-doctor.json";
  const ExitStatus status = Child({own_folder() + "/nestwright", "doctor", "--json"}, output, "doctor").wait();
  if (status.signaled || status.code != 0) {
    throw Error(fmt::format("nestwright doctor ended with {}: see {}.err", status.str(), output));
  }
  nlohmann::json found;
  std::ifstream(output) >> found;
  return found;
}

}  // namespace nestwright::bench
