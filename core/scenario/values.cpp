// Values against their keys.
#include <tlsrig/scenario/values.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>

#include <tlsrig/scenario/nearest.hpp>
#include <tlsrig/scenario/units.hpp>

namespace tlsrig::scenario {
namespace {

using Kind = Raw::Kind;

QuantityKind quantity_kind(KeyType type) {
  if (type == KeyType::duration) {
    return QuantityKind::duration;
  }
  return type == KeyType::size ? QuantityKind::size : QuantityKind::rate;
}

std::vector<std::string> backend_names(const KnownBackends* known) {
  std::vector<std::string> names{"backend"};
  if (known != nullptr) {
    names.insert(names.end(), known->names.begin(), known->names.end());
  }
  return names;
}

Parsed refuse(const Key& key, const Raw& raw, const KnownBackends* known, std::string_view hint = {}) {
  return {{}, refusal(key, raw, known, hint)};
}

Parsed parse_integer(const Key& key, const Raw& raw, const KnownBackends* known) {
  if (raw.kind == Kind::string && !raw.place.flag.empty()) {  // a seed above 2^63 is no TOML integer
    std::uint64_t number = 0;
    const char* end = raw.text.data() + raw.text.size();
    const auto read = std::from_chars(raw.text.data(), end, number);
    if (read.ec == std::errc{} && read.ptr == end && number >= key.least && number <= key.most) {
      return {number, {}};
    }
    return refuse(key, raw, known);
  }
  if (raw.kind == Kind::string && !raw.text.empty() &&
      std::all_of(raw.text.begin(), raw.text.end(), [](unsigned char c) { return std::isdigit(c); })) {
    return refuse(key, raw, known, "; a number has no quotes");
  }
  if (raw.kind != Kind::integer || raw.integer < 0) {
    return refuse(key, raw, known);
  }
  const auto number = static_cast<std::uint64_t>(raw.integer);
  if (number < key.least || number > key.most) {
    return refuse(key, raw, known);
  }
  return {number, {}};
}

Parsed quantity_value(const Key& key, std::uint64_t number) {
  if (key.type == KeyType::rate) {
    return {static_cast<double>(number), {}};
  }
  return {number, {}};
}

Parsed parse_quantity_value(const Key& key, const Raw& raw, const KnownBackends* known) {
  if (!key.zero.empty() && raw.kind == Kind::string && raw.text == key.zero) {
    return quantity_value(key, 0);
  }
  const QuantityKind kind = quantity_kind(key.type);
  Quantity quantity;
  if (key.type == KeyType::size && raw.kind == Kind::integer && raw.integer >= 0) {
    quantity.value = static_cast<std::uint64_t>(raw.integer);
  } else if (raw.kind == Kind::string) {
    quantity = parse_quantity(kind, raw.text);
  } else {
    return refuse(key, raw, known);
  }
  if (quantity.fault == Quantity::Fault::shape) {
    const std::string guess = guess_quantity(kind, raw.text);
    return refuse(key, raw, known, guess.empty() ? std::string{} : fmt::format("; did you mean \"{}\"?", guess));
  }
  if (quantity.fault == Quantity::Fault::overflow || quantity.value < key.least || quantity.value > key.most) {
    return refuse(key, raw, known);
  }
  if (key.zero_only) {
    return {{}, fmt::format("{} is not offered by this version; offered: \"{}\"", found_text(raw), key.zero)};
  }
  return quantity_value(key, quantity.value);
}

Parsed parse_percent_value(const Key& key, const Raw& raw, const KnownBackends* known) {
  constexpr double steps = 10'000;  // hundredths of a percent in 1
  const auto share = raw.kind == Kind::string ? parse_percent(raw.text) : std::nullopt;
  if (!share || *share * steps < static_cast<double>(key.least) || *share * steps > static_cast<double>(key.most)) {
    return refuse(key, raw, known);
  }
  return {*share, {}};
}

Parsed parse_word(const Key& key, const Raw& raw, const KnownBackends* known) {
  const auto same = [&](const Word& word) { return word.text == raw.text; };
  const auto word = std::find_if(key.words.begin(), key.words.end(), same);
  if (raw.kind != Kind::string) {
    const bool unquoted = word != key.words.end();
    return refuse(key, raw, known, unquoted ? fmt::format("; write it in quotes: \"{}\"", raw.text) : std::string{});
  }
  if (word == key.words.end()) {
    return refuse(key, raw, known, did_you_mean(raw.text, texts(key.words, true)));
  }
  if (!word->offered) {
    const std::string offered = quoted_list(texts(key.words, true));
    return {{}, fmt::format("\"{}\" is not offered by this version; offered: {}", raw.text, offered)};
  }
  return {raw.text, {}};
}

Parsed parse_backend(const Key& key, const Raw& raw, const KnownBackends* known) {
  if (raw.kind != Kind::string || raw.text.empty()) {
    return refuse(key, raw, known);
  }
  const std::vector<std::string> names = backend_names(known);
  if (known != nullptr && std::find(names.begin(), names.end(), raw.text) == names.end()) {
    return refuse(key, raw, known, did_you_mean(raw.text, names));
  }
  return {raw.text, {}};
}

bool is_name(std::string_view text) {
  constexpr std::size_t longest = 64;
  const auto allowed = [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= longest && std::isalnum(static_cast<unsigned char>(text.front())) &&
         std::all_of(text.begin(), text.end(), allowed);
}

// "U+001B, at character 4", of the first control character; empty: there is none.
std::string find_control(std::string_view text) {
  unsigned character = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    character += (byte & 0xc0U) == 0x80 ? 0 : 1;  // bytes within a character of UTF-8 do not count
    if (const unsigned code = control_at(text, i); code != no_control) {
      return fmt::format("U+{:04X}, at character {}", code, character);
    }
  }
  return {};
}

Parsed parse_text(const Key& key, const Raw& raw, const KnownBackends* known) {
  if (const std::string control = find_control(raw.text); raw.kind == Kind::string && !control.empty()) {
    return {{},
            fmt::format("found {}, which has a control character, {}; allowed: text without control characters",
                        found_text(raw), control)};
  }
  const bool refused = raw.kind != Kind::string || (key.type == KeyType::name && !is_name(raw.text)) ||
                       (key.type == KeyType::file && raw.text.empty());
  if (refused) {
    return refuse(key, raw, known);
  }
  return {raw.text, {}};
}

bool wants_text(KeyType type) {
  return type == KeyType::text || type == KeyType::name || type == KeyType::file || type == KeyType::word ||
         type == KeyType::backend;
}

}  // namespace

Parsed parse_value(const Key& key, const Raw& raw, const KnownBackends* known) {
  if (!raw.place.flag.empty() && raw.is_scalar() && raw.kind != Kind::string && wants_text(key.type)) {
    Raw word = raw;  // "-s tls.version=1.2": no shell user writes quotes inside quotes
    word.kind = Kind::string;
    return parse_value(key, word, known);
  }
  switch (key.type) {
    case KeyType::integer:
      return parse_integer(key, raw, known);
    case KeyType::boolean:
      return raw.kind == Kind::boolean ? Parsed{raw.boolean, {}} : refuse(key, raw, known);
    case KeyType::duration:
    case KeyType::size:
    case KeyType::rate:
      return parse_quantity_value(key, raw, known);
    case KeyType::percent:
      return parse_percent_value(key, raw, known);
    case KeyType::word:
      return parse_word(key, raw, known);
    case KeyType::backend:
      return parse_backend(key, raw, known);
    default:
      return parse_text(key, raw, known);
  }
}

std::string allowed_text(const Key& key, const KnownBackends* known) {
  const auto quantity = [&](std::string_view what) {
    const QuantityKind kind = quantity_kind(key.type);
    const std::string zero = key.zero.empty() ? std::string{} : fmt::format("\"{}\", or ", key.zero);
    return fmt::format("{}{} from {} to {} (in {})", zero, what, format_quantity(kind, key.least),
                       format_quantity(kind, key.most), units_text(kind));
  };
  switch (key.type) {
    case KeyType::integer:
      return key.least == key.most ? std::to_string(key.least)
                                   : fmt::format("a whole number from {} to {}", key.least, key.most);
    case KeyType::boolean:
      return "true or false";
    case KeyType::text:
      return "a string";
    case KeyType::name:
      return "a string of up to 64 letters, digits, \".\", \"_\" and \"-\" that begins with a letter or digit";
    case KeyType::file:
      return "a path, relative to the scenario file";
    case KeyType::duration:
      return quantity("a duration");
    case KeyType::size:
      return quantity("a size");
    case KeyType::rate:
      return quantity("a rate");
    case KeyType::percent:
      return fmt::format("a percentage from {} to {}", format_percent(static_cast<double>(key.least) / 10'000),
                         format_percent(static_cast<double>(key.most) / 10'000));
    case KeyType::word:
      return quoted_list(texts(key.words, true));
    case KeyType::backend:
      return known != nullptr ? quoted_list(backend_names(known)) : "\"backend\" or a backend's name";
    case KeyType::backends:
      return known != nullptr ? fmt::format("a list of {}", quoted_list(known->names)) : "a list of backends' names";
    case KeyType::plugin:
      return "a backend's name";
    case KeyType::thresholds:
      break;
  }
  return "a list of tables { backend, metric, expr }, also with arm and cell";
}

std::string value_text(const Key& key, const Value& value) {
  if (const auto* boolean = std::get_if<bool>(&value)) {
    return *boolean ? "true" : "false";
  }
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    if (key.type == KeyType::integer) {
      return std::to_string(*number);
    }
    return *number == 0 && !key.zero.empty() ? std::string(key.zero)
                                             : format_quantity(quantity_kind(key.type), *number);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    if (key.type == KeyType::percent) {
      return format_percent(*real);
    }
    return *real == 0 ? std::string(key.zero) : format_quantity(QuantityKind::rate, static_cast<std::uint64_t>(*real));
  }
  return std::get<std::string>(value);
}

nlohmann::ordered_json value_json(const Key& key, const Value& value) {
  if (key.type == KeyType::integer) {
    return std::get<std::uint64_t>(value);
  }
  if (key.type == KeyType::boolean) {
    return std::get<bool>(value);
  }
  std::string text = value_text(key, value);
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(std::move(text));
}

std::string refusal(const Key& key, const Raw& raw, const KnownBackends* known, std::string_view hint) {
  return fmt::format("found {}; allowed: {}{}; example: {} = {}", found_text(raw), allowed_text(key, known), hint,
                     last_part(key.path), key.example);
}

}  // namespace tlsrig::scenario
