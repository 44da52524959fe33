// One entry of a cache of Kernel Tuner, from and to a result of T4. Private to logs/exchange.
// Thread rule: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace nestwright {

// `header` is the file without its entries; it has "tune_params_keys".

/// Throws as refuse_part() does if the entry is not an object or lacks a parameter.
nlohmann::ordered_json t4_of_cache_entry(const nlohmann::ordered_json& header, const std::string& name,
                                         const nlohmann::ordered_json& entry);

/// The name of the entry and the entry. `is_complete`: times that the schema of caches requires and the result does not
/// have are 0.
std::pair<std::string, nlohmann::ordered_json> cache_entry_of_t4(const nlohmann::ordered_json& header,
                                                                 const nlohmann::ordered_json& result,
                                                                 bool is_complete);

}  // namespace nestwright
