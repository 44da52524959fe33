// TuningLog's networks: how each was found to be fastest, and its time.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "logs/encode.h"
#include "logs/read_or_note.h"
#include "logs/state.h"
#include "nestwright/error.h"
#include "space/config_json.h"

namespace nestwright {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kColumns =
    "graph, model_graph, model, target, machine, backend, cache, code_generator, variant, kernels, median_ns, low_ns, "
    "high_ns, process_medians_ns, before_ns, kernels_ns, disturbance";
constexpr int kColumnCount = 17;

Json point_json(const Point& point) {
  return {
      {"template", point.template_name}, {"version", point.version}, {"config", Json::parse(to_json(point.config))}};
}

Point point_of(const Json& json) {
  return {json.at("template"), json.at("version").get<int>(), config_from_json(json.at("config").dump())};
}

std::string encode_kernels(const std::vector<NetworkKernelChoice>& kernels) {
  Json list = Json::array();
  for (const NetworkKernelChoice& kernel : kernels) {
    Json json = {{"workload", kernel.workload}};
    json.update(point_json(kernel.point));
    json["compared"] = Json::array();
    for (const Point& point : kernel.compared) json["compared"].push_back(point_json(point));
    json["saved_ns"] = kernel.saved_ns;
    list.push_back(std::move(json));
  }
  return list.dump();
}

std::vector<NetworkKernelChoice> decode_kernels(const std::string& text) {
  try {
    std::vector<NetworkKernelChoice> kernels;
    for (const Json& json : Json::parse(text)) {
      NetworkKernelChoice& kernel = kernels.emplace_back();
      kernel.workload = json.at("workload");
      kernel.point = point_of(json);
      for (const Json& point : json.at("compared")) kernel.compared.push_back(point_of(point));
      kernel.saved_ns = json.at("saved_ns").get<double>();
      const auto is_point = [&](const Point& point) { return point.key() == kernel.point.key(); };
      if (std::ranges::none_of(kernel.compared, is_point)) throw LogError("a kernel was not compared with others");
    }
    return kernels;
  } catch (const Json::exception&) {
    throw LogError("the kernels of a network are no list of configurations");
  } catch (const UsageError& error) {
    throw LogError(error.what());
  }
}

std::string encode_variant(const NetworkVariant& variant) {
  Json groupings = Json::array(), blocked = Json::object();
  for (const NetworkVariant::Grouping& grouping : variant.groupings) {
    groupings.push_back({{"kind", grouping.kind}, {"nodes", grouping.nodes}});
  }
  for (const auto& [block, nodes] : variant.blocked) blocked[std::to_string(block)] = nodes;
  return Json{{"groupings", std::move(groupings)}, {"blocked", std::move(blocked)}}.dump();
}

NetworkVariant decode_variant(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    NetworkVariant variant;
    for (const Json& grouping : json.at("groupings")) {
      variant.groupings.push_back({grouping.at("kind"), grouping.at("nodes").get<std::vector<std::size_t>>()});
    }
    for (const auto& [block, nodes] : json.at("blocked").get_ref<const Json::object_t&>()) {
      variant.blocked[std::stoi(block)] = nodes.get<std::vector<std::size_t>>();
    }
    return variant;
  } catch (const std::exception&) {
    throw LogError("the variant of a network is none");
  }
}

NetworkRecord read_network(const sqlite::Statement& row) {
  NetworkRecord record;
  record.key = {row.text(0), row.text(3), row.text(4), row.text(5), row.text(6)};
  record.model_graph = row.text(1);
  record.model = row.text(2);
  record.code_generator = row.text(7);
  record.variant = decode_variant(row.text(8));
  record.kernels = decode_kernels(row.text(9));
  record.timing.median_ns = row.real(10);
  if (!(record.timing.median_ns > 0)) throw LogError("the time of a network is not positive");
  record.timing.low_ns = row.real(11);
  record.timing.high_ns = row.real(12);
  record.process_medians_ns = decode_numbers(row.text(13));
  record.before_ns = row.real(14);
  record.kernels_ns = row.real(15);
  record.timing.disturbance = row.text(16);
  record.recorded_at = row.text(17);
  return record;
}

/// The first record that can be read, undisturbed ones and later ones first, for which `condition` holds.
std::optional<NetworkRecord> find(const sqlite::Database& database, const char* condition, const std::string& graph,
                                  const NetworkKey& key) {
  sqlite::Statement select = database.prepare(
      fmt::format("SELECT {}, recorded_at, id FROM network WHERE {} AND target = ? AND machine = ? AND backend = ?"
                  " AND cache = ? ORDER BY disturbance != '', recorded_at DESC, id DESC",
                  kColumns, condition));
  select.bind(graph, key.target, key.machine, key.backend, key.cache);
  while (select.step()) {
    auto record =
        read_or_note(database, "network", select.integer(kColumnCount + 1), [&] { return read_network(select); });
    if (record) return record;
  }
  return std::nullopt;
}

}  // namespace

void TuningLog::record_network(const NetworkRecord& record) {
  sqlite::Database& database = state_->database;
  sqlite::Transaction transaction(database);
  sqlite::Statement insert = database.prepare(
      fmt::format("INSERT INTO network({}, recorded_at) VALUES ({}, {})", kColumns, placeholders(kColumnCount), kNow));
  const NetworkKey& key = record.key;
  const Timing& timing = record.timing;
  insert.bind(key.graph, record.model_graph, record.model, key.target, key.machine, key.backend, key.cache,
              record.code_generator, encode_variant(record.variant), encode_kernels(record.kernels), timing.median_ns,
              timing.low_ns, timing.high_ns, encode_numbers(record.process_medians_ns), known(record.before_ns),
              known(record.kernels_ns), timing.disturbance);
  insert.run();
  transaction.commit();
}

std::optional<NetworkRecord> TuningLog::find_network(const NetworkKey& key) const {
  return find(state_->database, "graph = ?", key.graph, key);
}

std::optional<NetworkRecord> TuningLog::find_network_of(const std::string& model_graph, const NetworkKey& key) const {
  return find(state_->database, "model_graph = ? AND disturbance = ''", model_graph, key);
}

}  // namespace nestwright
