// A JSON document to be built up and printed. Objects keep the order in which their fields were added: documents are
// read by people, too. Thread rule: as a value.
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

/// Json{{"size", 3}, {"names", names}} is an object, as every entry is a pair that begins with a text; Json{1, 2} is a
/// list. What asks for another kind of value than is there throws InternalError.
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

  /// Of a list, or the values of an object.
  const std::vector<Json>& entries() const;
  /// Null becomes a list.
  void push_back(Json entry);

  /// Of an object, one for each of entries().
  const std::vector<std::string>& names() const;
  bool contains(std::string_view name) const;
  /// The field must be there.
  const Json& operator[](std::string_view name) const;
  /// Null becomes an object; a field that is not there is added as null.
  Json& operator[](std::string_view name);
  /// Sets all fields of the other object.
  void update(const Json& other);

  /// With two blanks a level. Bytes that are no UTF-8 are replaced.
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
