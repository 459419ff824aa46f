// A value of a document and where it stands, for readers that trust nothing: each question either has the answer that
// was asked for or throws UnreadableResult with place, found and needed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tlsrig/report/model.hpp>

namespace tlsrig::report {

// A whole number that is not negative, whether it was read as one or put there by a program.
inline std::optional<std::uint64_t> whole_number(const Json& json) {
  if (json.is_number_unsigned() || (json.is_number_integer() && json.get<std::int64_t>() >= 0))
    return json.get<std::uint64_t>();
  return std::nullopt;
}

// Views the document, which has to outlive it.
class Place {
 public:
  explicit Place(const Json& json, std::string path = "") : json_(&json), path_(std::move(path)) {}

  const Json& json() const { return *json_; }
  const std::string& path() const { return path_; }
  bool is_null() const { return json_->is_null(); }

  [[noreturn]] void refuse(std::string_view needed) const;        // "PATH: found ..., NEEDED is needed"
  [[noreturn]] void refuse_as(std::string_view complaint) const;  // "PATH: COMPLAINT"

  Place at(const std::string& key) const;                   // of an object; has to be there
  std::optional<Place> find(const std::string& key) const;  // of an object; may be missing

  std::string text() const;  // any, of bounded length
  std::string name() const;  // what identifies something: not empty, without control characters
  std::string one_of(std::initializer_list<std::string_view> words) const;
  bool boolean() const;
  std::uint64_t count(std::uint64_t least = 0, std::uint64_t most = UINT64_MAX) const;
  double number() const;           // 0 or more
  double positive_number() const;  // more than 0
  // One of the scenario's or the machine's own documents, which is only carried along.
  Json any_object() const;  // or null

  // `read` applied, or nothing for null.
  template <typename Read>
  auto unless_null(Read read) const -> std::optional<decltype(read(*this))> {
    if (is_null()) return std::nullopt;
    return read(*this);
  }

  template <typename Read>
  auto list(Read read) const -> std::vector<decltype(read(*this))> {
    require_list();
    std::vector<decltype(read(*this))> elements;
    elements.reserve(json_->size());
    for (std::size_t i = 0; i < json_->size(); ++i)
      elements.push_back(read(Place((*json_)[i], path_ + "[" + std::to_string(i) + "]")));
    return elements;
  }

  // use(key, place) for each member, in the document's order.
  template <typename Use>
  void members(Use use) const {
    require_object();
    for (const auto& item : json_->items()) use(item.key(), Place(item.value(), below(item.key())));
  }

 private:
  void require_list() const;
  void require_object() const;
  std::string below(const std::string& key) const;

  const Json* json_;
  std::string path_;
};

}  // namespace tlsrig::report
