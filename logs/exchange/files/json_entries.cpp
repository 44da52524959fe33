#include "logs/exchange/files/json_entries.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "logs/exchange/files/input_file.h"
#include "logs/exchange/foreign.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

using Json = nlohmann::ordered_json;

/// Builds one value from the events of the parser.
class ValueBuilder {
 public:
  /// Returns whether the value is complete.
  bool add(Json value) {
    Json& placed = place(std::move(value));
    if (placed.is_structured()) open_.push_back(&placed);
    return open_.empty();
  }
  bool close() {
    open_.pop_back();
    return open_.empty();
  }
  void key(std::string name) { key_ = std::move(name); }
  Json take() { return std::exchange(root_, Json()); }

 private:
  Json& place(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return parent.back();
    }
    return parent[key_] = std::move(value);
  }

  Json root_;
  std::vector<Json*> open_;  ///< from the root to the innermost; only the innermost grows
  std::string key_;
};

/// Divides the document into fields and entries.
class EntryReader final : public nlohmann::json_sax<Json> {
 public:
  EntryReader(const std::string& path, const EntryHandlers& handlers) : path_(path), handlers_(handlers) {}

  bool null() override { return value(nullptr); }
  bool boolean(bool b) override { return value(b); }
  bool number_integer(std::int64_t n) override { return value(n); }
  bool number_unsigned(std::uint64_t n) override { return value(n); }
  bool number_float(double n, const std::string&) override { return value(n); }
  bool string(std::string& text) override { return value(std::move(text)); }
  bool binary(Json::binary_t&) override { return refuse("has binary data"); }
  bool start_object(std::size_t) override { return start(Json::object()); }
  bool start_array(std::size_t) override { return start(Json::array()); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(std::string& name) override {
    at_boundary_ = false;
    if (depth_ == 1) {
      field_ = std::move(name);
    } else if (in_container_ && depth_ == 2) {
      entry_ = std::move(name);
    } else {
      builder_.key(std::move(name));
    }
    return true;
  }
  bool parse_error(std::size_t, const std::string& last_token, const nlohmann::detail::exception& error) override {
    message_ = error.what();
    last_token_ = last_token;
    return false;
  }

  /// Whether an entry, or the container's beginning, was the last that was read.
  bool is_between_entries() const { return at_boundary_; }
  const std::string& message() const { return message_; }
  /// What was read last when the parser gave up.
  const std::string& last_token() const { return last_token_; }
  EntriesRead& read() { return read_; }

 private:
  [[noreturn]] bool refuse(std::string_view what) const {
    throw UsageError(fmt::format("file '{}' {}: give a file of a known format", path_, what));
  }

  bool skips() const { return in_container_ ? !handlers_.on_entry : !handlers_.on_field; }
  int value_depth() const { return in_container_ ? 2 : 1; }

  bool value(Json scalar) {
    if (depth_ == 0) refuse("is not an object in JSON");
    if (depth_ == 1 && field_ == handlers_.container) refuse(fmt::format("has no list of '{}'", field_));
    at_boundary_ = false;
    if ((skips() || builder_.add(std::move(scalar))) && depth_ == value_depth()) complete();
    return true;
  }

  bool start(Json empty) {
    if (depth_ == 0 && !empty.is_object()) refuse("is not an object in JSON");
    const int opened = depth_++;
    if (depth_ > kMaxDepth) refuse(fmt::format("has more than {} lists and objects in each other", kMaxDepth));
    if (opened == 0) return true;
    if (opened == 1 && field_ == handlers_.container) {
      if (read_.has_container) refuse(fmt::format("has '{}' twice", field_));
      in_container_ = read_.has_container = at_boundary_ = true;
      entry_.clear();
      return true;
    }
    at_boundary_ = false;
    if (!skips()) builder_.add(std::move(empty));
    return true;
  }

  bool end() {
    --depth_;
    if (in_container_ && depth_ == 1) {
      in_container_ = at_boundary_ = false;
      return true;
    }
    if (depth_ == 0) return true;
    if (!skips()) builder_.close();
    if (depth_ == value_depth()) complete();
    return true;
  }

  void complete() {
    if (in_container_) {
      ++read_.entries;
      at_boundary_ = true;
      if (handlers_.on_entry) handlers_.on_entry(entry_, builder_.take());
    } else if (handlers_.on_field) {
      handlers_.on_field(field_, builder_.take());
    }
  }

  const std::string& path_;
  const EntryHandlers& handlers_;
  ValueBuilder builder_;
  EntriesRead read_;
  int depth_ = 0;
  bool in_container_ = false, at_boundary_ = false;
  std::string field_, entry_, message_, last_token_;
};

/// Python writes numbers that are not finite into JSON, which does not have them. Returns the one at whose first letter
/// the parser gave up; empty: it is something else.
std::string number_of_python(const std::string& last_token, InputFile& file) {
  const std::string rest = file.read(std::string_view("nfinity").size());
  if (last_token.ends_with('N') && rest.starts_with("aN")) return "NaN";
  if (!last_token.ends_with('I') || rest != "nfinity") return "";
  return last_token.ends_with("-I") ? "-Infinity" : "Infinity";
}

/// "line 3, column 5: unexpected end of input" of the library's message.
std::string place_and_reason(const std::string& message) {
  std::string_view text = message;
  if (const std::size_t at = text.find(" at "); at != std::string_view::npos && text.find("parse error") < at) {
    text.remove_prefix(at + std::string_view(" at ").size());
  } else if (const std::size_t end = text.find("] "); end != std::string_view::npos) {
    text.remove_prefix(end + 2);
  }
  // What it read last may be long and have control characters.
  return std::string(text.substr(0, text.find("; last read")));
}

}  // namespace

EntriesRead read_json_entries(const std::string& path, const EntryHandlers& handlers) {
  InputFile file(path);
  std::istream stream(&file);
  EntryReader reader(path, handlers);
  const bool is_complete = Json::sax_parse(stream, &reader);
  if (!is_complete) {
    const bool is_at_end = file.sgetc() == InputFile::traits_type::eof();
    const char last = is_at_end ? file.last_character() : '\0';
    reader.read().ended_open = handlers.may_end_open && reader.is_between_entries() && (last == '}' || last == ',');
    if (!reader.read().ended_open) {
      const std::string place = place_and_reason(reader.message());
      const std::string number = number_of_python(reader.last_token(), file);
      if (number.empty()) {
        throw UsageError(fmt::format("file '{}' is not JSON, or is not complete ({}): give a whole file", path, place));
      }
      throw UsageError(
          fmt::format("file '{}' has the number {}, which JSON does not have ({}): replace it by a text, or if it is a"
                      " time, by the failure of its configuration",
                      path, number, place.substr(0, place.find(':'))));
    }
  }
  reader.read().content_hash = file.content_hash();
  return reader.read();
}

}  // namespace nestwright
