// A JSON document to build and print. Objects keep the order in which their fields were added, because people read the
// documents, too. Thread rule: a value.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace nestwright {

/// Json{{"size", 3}, {"names", names}} is an object, because every entry is a pair that begins with a text. Json{1, 2}
/// is a list. Accessors throw InternalError if the value has another kind.
class Json {
 public:
  Json(std::nullptr_t = nullptr) {}
  template <std::integral Number>
  Json(Number value) : value_(static_cast<Widest<Number>>(value)) {}
  template <std::floating_point Number>
  Json(Number value) : value_(static_cast<double>(value)) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  template <typename Entry>
  Json(const std::vector<Entry>& entries) : value_(List(entries.begin(), entries.end())) {}
  Json(std::initializer_list<Json> entries);

  static Json list();
  static Json object();

  bool is_null() const;
  bool is_text() const;
  bool truth() const;
  std::int64_t integer() const;
  double number() const;
  const std::string& text() const;
  std::vector<std::string> texts() const;

  /// The entries of a list, or the values of an object.
  const std::vector<Json>& entries() const;
  /// Appends to a list. Null becomes a list first.
  void push_back(Json entry);

  /// The field names of an object, one for each of entries().
  const std::vector<std::string>& names() const;
  bool contains(std::string_view name) const;
  /// Requires that the field exists.
  const Json& operator[](std::string_view name) const;
  /// Null becomes an object first; a missing field is added as null.
  Json& operator[](std::string_view name);
  /// Copies all fields of `other`, an object, and replaces those of the same name.
  void update(const Json& other);

  /// The text, indented by two spaces per level. Bytes that are not valid UTF-8 are replaced.
  std::string str() const;

 private:
  template <typename Number>
  using Widest = std::conditional_t<std::same_as<Number, bool>, bool,
                                    std::conditional_t<std::signed_integral<Number>, std::int64_t, std::uint64_t>>;
  struct Printer;
  using List = std::vector<Json>;
  struct Object {
    std::vector<std::string> names;
    std::vector<Json> values;
  };

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, List, Object> value_;
};

}  // namespace nestwright
