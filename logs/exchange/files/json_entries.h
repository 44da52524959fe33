// Reads a JSON document that consists of a few fields and one long list or object of entries, an entry at a time, so
// that a file of gigabytes needs the memory of one entry:
//
//   {"metadata": {...}, "results": [ENTRY, ENTRY, ...], "schema_version": "1.0.0"}
//
// Thread rule: any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace nestwright {

/// What is done with the parts of the document, in their order. An exception ends the reading.
struct EntryHandlers {
  std::string container;  ///< the field with the entries: "results"
  /// Takes a field other than the container. Empty: they are skipped.
  std::function<void(const std::string& name, nlohmann::ordered_json value)> on_field;
  /// Takes an entry; `name` is empty if the container is a list. Empty: they are skipped.
  std::function<void(const std::string& name, nlohmann::ordered_json entry)> on_entry;
  /// The document may end after an entry or the comma after it, as that of a program that was ended early.
  bool may_end_open = false;
};

/// The outcome of reading a document.
struct EntriesRead {
  std::int64_t entries = 0;
  bool has_container = false;
  bool ended_open = false;         ///< see EntryHandlers::may_end_open
  std::uint64_t content_hash = 0;  ///< of the file
};

/// Throws UsageError, one sentence with the file and the line, if the file cannot be read, is not JSON in UTF-8, has a
/// number that no double can hold, or is not an object, and passes on what the handlers throw.
EntriesRead read_json_entries(const std::string& path, const EntryHandlers& handlers);

}  // namespace nestwright
