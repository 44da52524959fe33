#include "bench/comparison/results/results_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

using Json = nlohmann::json;

constexpr int kFormat = 1;
constexpr const char* kAttempt = "attempt";
/// Keys of doctor's measurements, also of a device, and of values that do not affect times.
constexpr std::array<std::string_view, 8> kNotCompared = {
    "quietness", "peak_gflops", "bandwidth_gb_s", "parallel_start_us", "copy_gb_s", "memory", "toolchain", "worker"};

UniqueFd open_file(const std::string& path, int flags) {
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644));
  if (fd.get() < 0) {
    throw Error(fmt::format("cannot write {} ({}): give another file with --results", path, std::strerror(errno)));
  }
  return fd;
}

/// `json` without the keys that are not compared, at any depth.
Json compared_part(const Json& json) {
  if (!json.is_structured()) return json;
  Json kept = json.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : json.items()) {
    if (json.is_array()) {
      kept.push_back(compared_part(value));
    } else if (std::find(kNotCompared.begin(), kNotCompared.end(), key) == kNotCompared.end()) {
      kept[key] = compared_part(value);
    }
  }
  return kept;
}

std::string value_text(const Json& object, const std::string& key) {
  if (!object.contains(key)) return "nothing";
  return object[key].is_string() ? object[key].get<std::string>() : object[key].dump();
}

void compare_objects(const Json& there, const Json& here, std::vector<std::string>& found) {
  std::vector<std::string> keys;
  for (const Json* object : {&there, &here}) {
    for (const auto& [key, value] : object->items()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  for (const std::string& key : keys) {
    const std::string before = value_text(there, key), now = value_text(here, key);
    if (before != now) found.push_back(fmt::format("{} ({} there, {} here)", key, before, now));
  }
}

Json header_of(const Provenance& p) {
  return {{"format", kFormat}, {"commit", p.commit}, {"doctor", p.doctor}, {"conditions", p.conditions}};
}

/// The origin in the first line. Throws for any other line.
Provenance provenance_in(const Json& header) {
  if (header.at("format").get<int>() != kFormat) throw UsageError("of another format");
  return {header.at("commit"), header.at("doctor"), header.at("conditions")};
}

}  // namespace

std::vector<std::string> differences(const Provenance& there, const Provenance& here) {
  std::vector<std::string> found;
  if (there.commit != here.commit)
    found.push_back(fmt::format("commit ({} there, {} here)", there.commit, here.commit));
  if (here.depends_on_host) compare_objects(compared_part(there.doctor), compared_part(here.doctor), found);
  compare_objects(there.conditions, here.conditions, found);
  return found;
}

ResultsFile ResultsFile::begin(const std::string& path, const Provenance& provenance) {
  std::error_code missing;
  std::filesystem::rename(path, path + ".old", missing);
  ResultsFile file(path, open_file(path, O_EXCL));
  file.append(header_of(provenance));
  return file;
}

ResultsFile ResultsFile::resume(const std::string& path, const Provenance& provenance) {
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  text.resize(text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1);
  if (text.empty()) return begin(path, provenance);

  ResultsFile file(path, open_file(path, O_APPEND));
  std::vector<std::string> different;
  int line = 0;
  try {
    for (std::size_t from = 0; from < text.size(); from = text.find('\n', from) + 1) {
      const Json json = Json::parse(text.substr(from, text.find('\n', from) - from));
      if (++line == 1) {
        different = differences(provenance_in(json), provenance);
      } else if (json.contains(kAttempt)) {
        ++file.attempts_[json.at(kAttempt).get<std::string>()];
      } else {
        Comparison comparison = comparison_from_json(json);
        std::string key = comparison.subject.key();
        file.kept_.insert_or_assign(std::move(key), std::move(comparison));
      }
    }
  } catch (const std::exception&) {
    throw UsageError(
        fmt::format("{}, line {}, is no result of bench/compare; give another file with --results", path, line + 1));
  }
  if (!different.empty()) {
    throw UsageError(
        fmt::format("{} holds results that these would not belong to: other {}; finish them there, give "
                    "another file with --results, or begin anew without --resume",
                    path, fmt::join(different, ", other ")));
  }
  // Removes the incomplete line that a kill may have left.
  if (ftruncate(file.fd_.get(), static_cast<off_t>(text.size())) != 0) {
    throw Error(fmt::format("cannot write {} ({})", path, std::strerror(errno)));
  }
  return file;
}

const Comparison* ResultsFile::find(const std::string& key) const {
  const auto found = kept_.find(key);
  return found == kept_.end() || !found->second.is_complete() ? nullptr : &found->second;
}

void ResultsFile::add(const Comparison& comparison) {
  append(to_json(comparison));
  kept_.insert_or_assign(comparison.subject.key(), comparison);
}

void ResultsFile::note_attempt(const std::string& key) {
  append({{kAttempt, key}});
  ++attempts_[key];
}

int ResultsFile::attempts(const std::string& key) const {
  const auto found = attempts_.find(key);
  return found == attempts_.end() ? 0 : found->second;
}

void ResultsFile::append(const Json& json) {
  const std::string line = json.dump() + '\n';
  for (std::size_t done = 0; done < line.size();) {
    const ssize_t n = write(fd_.get(), line.data() + done, line.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      throw Error(fmt::format("cannot write {} ({}): see the space on the disk", path_, std::strerror(errno)));
    }
    done += static_cast<std::size_t>(n);
  }
  fsync(fd_.get());
}

}  // namespace nestwright::bench
