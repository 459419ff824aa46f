// [variant.NAME] and --variant.
#include <tlsrig/scenario/variants.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <tlsrig/scenario/nearest.hpp>
#include <tlsrig/scenario/resolve.hpp>
#include <tlsrig/scenario/values.hpp>

namespace tlsrig::scenario {
namespace {

namespace fs = std::filesystem;
using Kind = Raw::Kind;

constexpr std::string_view plugin_key = "variant.NAME.plugin", directory_key = "variant.NAME.library_directory";

// A variant as it was said, before it is judged.
struct Said {
  std::string name;
  Place place;
  std::optional<Raw> plugin, directory;
  bool by_flag = false;  // --variant
};

class VariantCollector {
 public:
  VariantCollector(const fs::path& file, KnownBackends& known, Diagnostics& diagnostics)
      : file_(file), known_(known), real_(known.names), diagnostics_(diagnostics) {}

  void take_document(const Raw& document);
  void take_setting(const std::string& path, const std::string& text);
  void take_flag(const std::string& text);
  std::vector<Variant> judge();

 private:
  void make_known(const std::string& name);
  void take_member(Said& said, std::string_view name, const Place& place, const Raw& value);
  std::optional<Variant> judge(const Said& said, const std::vector<Variant>& earlier);
  bool judge_name(const Said& said, const std::vector<Variant>& earlier);
  std::string judge_plugin(const Said& said);
  fs::path judge_directory(const Said& said);
  void fault(const Place& place, const Said& said, std::string_view member, std::string message) {
    const std::string path = join("variant", said.name);
    diagnostics_.add(place, member.empty() ? path : join(path, member), std::move(message));
  }

  const fs::path& file_;
  KnownBackends& known_;
  const std::vector<std::string> real_;  // backends that are no variants
  Diagnostics& diagnostics_;
  std::vector<Said> said_;
};

void VariantCollector::take_document(const Raw& document) {
  const Member* table = document.find("variant");
  if (table == nullptr) {
    return;
  }
  constexpr std::string_view needed = "a table [variant.NAME] with plugin and library_directory";
  if (table->value.kind != Kind::table) {
    return diagnostics_.add(table->value.place, "variant",
                            fmt::format("found {}; needed: {}", found_text(table->value), needed));
  }
  for (const Member& variant : table->value.members) {
    if (variant.value.kind != Kind::table) {
      diagnostics_.add(variant.value.place, join("variant", variant.name),
                       fmt::format("found {}; needed: {}", found_text(variant.value), needed));
      make_known(variant.name);
      continue;
    }
    Said& said = said_.emplace_back(Said{variant.name, variant.place, {}, {}, false});
    for (const Member& member : variant.value.members) {
      take_member(said, member.name, member.place, member.value);
    }
  }
}

void VariantCollector::make_known(const std::string& name) {
  if (std::find(known_.names.begin(), known_.names.end(), name) == known_.names.end()) {
    known_.names.push_back(name);
  }
}

void VariantCollector::take_member(Said& said, std::string_view name, const Place& place, const Raw& value) {
  if (name == last_part(plugin_key)) {
    said.plugin = value;
  } else if (name == last_part(directory_key)) {
    said.directory = value;
  } else {
    const auto here = names_in(table_of(plugin_key));
    const std::string near = did_you_mean(name, here);
    fault(place, said, name, "unknown key" + (near.empty() ? "; known here: " + quoted_list(here) : near));
  }
}

// -s variant.NAME.library_directory=DIR, of a variant of the file or a new one.
void VariantCollector::take_setting(const std::string& path, const std::string& text) {
  const Place place{0, 0, fmt::format("-s {}={}", path, text)};
  const std::string_view table = table_of(path);
  if (!table.starts_with("variant.")) {
    return diagnostics_.add(place, path, "needed: variant.NAME.plugin or variant.NAME.library_directory");
  }
  const auto value = read_flag_value(text, place.flag);
  if (!value) {
    return diagnostics_.add(place, path, fmt::format("{} is no TOML value", text));
  }
  const std::string name(last_part(path)), variant(table.substr(std::string_view("variant.").size()));
  auto at = std::find_if(said_.begin(), said_.end(), [&](const Said& said) { return said.name == variant; });
  if (at == said_.end()) {
    at = said_.insert(said_.end(), Said{variant, place, {}, {}, false});
  }
  take_member(*at, name, place, *value);
}

// NAME=PLUGIN:DIR.
void VariantCollector::take_flag(const std::string& text) {
  const Place place{0, 0, "--variant " + text};
  const std::size_t equals = text.find('='), colon = text.find(':', equals == std::string::npos ? 0 : equals);
  if (equals == std::string::npos || colon == std::string::npos) {
    return diagnostics_.add(place, "variant", "needed: NAME=PLUGIN:DIR, such as ossl35=openssl:/opt/openssl-3.5/lib");
  }
  const auto word = [&](std::string part) {
    Raw raw;
    raw.text = std::move(part);
    raw.place = place;
    return raw;
  };
  said_.push_back({text.substr(0, equals), place, word(text.substr(equals + 1, colon - equals - 1)),
                   word(text.substr(colon + 1)), true});
}

bool VariantCollector::judge_name(const Said& said, const std::vector<Variant>& earlier) {
  Raw name;
  name.text = said.name;
  const Key& rule = *find_key("name");
  if (!parse_value(rule, name, nullptr).value) {
    fault(said.place, said, "",
          fmt::format("{} is no name for a variant; allowed: {}", found_text(name), allowed_text(rule, nullptr)));
    return false;
  }
  if (said.name == "backend" || std::find(real_.begin(), real_.end(), said.name) != real_.end()) {
    fault(said.place, said, "",
          fmt::format("\"{}\" {}; give the variant a name of its own, such as \"{}-tuned\"", said.name,
                      said.name == "backend" ? "stands for every backend in [roles]" : "is a backend already",
                      said.name));
    return false;
  }
  const auto same = [&](const Variant& other) { return other.name == said.name; };
  if (std::any_of(earlier.begin(), earlier.end(), same)) {
    fault(said.place, said, "",
          fmt::format("another variant is called \"{}\" too; give one of them another name, or say "
                      "-s variant.{}.library_directory=DIR to run that one on other files",
                      said.name, said.name));
    return false;
  }
  return true;
}

// Empty after a diagnostic.
std::string VariantCollector::judge_plugin(const Said& said) {
  const std::string_view member = last_part(plugin_key);
  if (!said.plugin) {
    fault(said.place, said, member, "missing; a variant has plugin and library_directory");
    return {};
  }
  std::vector<std::string> plugins = real_;
  std::erase(plugins, plain_backend);
  const Raw& raw = *said.plugin;
  if (raw.kind == Kind::string && raw.text == plain_backend) {
    fault(raw.place, said, member,
          fmt::format("plaintcp has no library of its own, so it has no variants; allowed: {}", quoted_list(plugins)));
    return {};
  }
  if (raw.kind != Kind::string || std::find(plugins.begin(), plugins.end(), raw.text) == plugins.end()) {
    const bool variant = std::any_of(said_.begin(), said_.end(), [&](const Said& other) {
      return &other != &said && raw.kind == Kind::string && other.name == raw.text;
    });
    const std::string hint = raw.kind == Kind::string ? did_you_mean(raw.text, plugins) : std::string{};
    fault(raw.place, said, member,
          fmt::format("found {}{}; allowed: {}{}", found_text(raw),
                      variant ? ", which is a variant itself and no plugin" : "", quoted_list(plugins), hint));
    return {};
  }
  return raw.text;
}

// Absolute: workers are given it, and the result tells it. Empty after a diagnostic.
fs::path VariantCollector::judge_directory(const Said& said) {
  const Key& key = *find_key(directory_key);
  const std::string_view member = last_part(directory_key);
  if (!said.directory) {
    fault(said.place, said, member, "missing; a variant has plugin and library_directory");
    return {};
  }
  const Raw& raw = *said.directory;
  const auto refuse = [&](std::string message) {
    fault(raw.place, said, member, std::move(message));
    return fs::path();
  };
  const Parsed parsed = parse_value(key, raw, nullptr);
  if (!parsed.value) {
    return refuse(parsed.fault);
  }
  const fs::path given = std::get<std::string>(*parsed.value);
  std::error_code failed;
  fs::path directory =
      fs::absolute(raw.place.flag.empty() ? file_.parent_path() / given : given, failed).lexically_normal();
  if (!directory.has_filename() && directory.has_relative_path()) {
    directory = directory.parent_path();  // "build/"
  }
  if (directory.string().find_first_of(":;$") != std::string::npos) {
    return refuse(
        fmt::format("\"{}\" has a \":\", \";\" or \"$\", which have a meaning of their own where the loader "
                    "is told its directories; give the directory another name, or a link to it",
                    directory.string()));
  }
  const fs::file_status status = fs::status(directory, failed);
  if (!fs::exists(status)) {
    return refuse(
        fmt::format("\"{}\" does not exist; needed: the directory with the library's files; its path is "
                    "relative to the {}",
                    directory.string(), raw.place.flag.empty() ? "scenario file" : "working directory"));
  }
  if (!fs::is_directory(status)) {
    return refuse(fmt::format("\"{}\" is no directory; needed: the directory with the library's files, such as \"{}\"",
                              directory.string(), directory.parent_path().string()));
  }
  return directory;
}

std::optional<Variant> VariantCollector::judge(const Said& said, const std::vector<Variant>& earlier) {
  const bool named = judge_name(said, earlier);
  const std::string plugin = judge_plugin(said);
  const fs::path directory = judge_directory(said);
  if (!named || plugin.empty() || directory.empty()) {
    return {};
  }
  return Variant{said.name, plugin, directory, said.by_flag};
}

std::vector<Variant> VariantCollector::judge() {
  std::vector<Variant> variants;
  for (const Said& said : said_) {
    if (auto variant = judge(said, variants)) {
      variants.push_back(std::move(*variant));
    }
    make_known(said.name);
  }
  return variants;
}

}  // namespace

std::vector<Variant> collect_variants(const Raw& document, const fs::path& file, const Overrides& overrides,
                                      KnownBackends& known, Diagnostics& diagnostics) {
  VariantCollector collector(file, known, diagnostics);
  collector.take_document(document);
  for (const auto& [path, text] : overrides.settings) {
    if (lies_in(path, "variant")) {
      collector.take_setting(path, text);
    }
  }
  for (const std::string& text : overrides.variants) {
    collector.take_flag(text);
  }
  return collector.judge();
}

FlagVariants variants_of_flags(const std::vector<std::string>& flags, const KnownBackends& known) {
  Overrides overrides;
  overrides.variants = flags;
  KnownBackends names = known;
  Diagnostics diagnostics{fs::path()};
  auto variants = collect_variants(Raw{}, fs::path(), overrides, names, diagnostics);
  return {std::move(variants), diagnostics.take()};
}

void join_backends(const std::vector<Variant>& variants, const Overrides& overrides, Draft& draft) {
  if (!overrides.backends.empty()) {
    return;  // who takes part was said
  }
  auto& backends = draft.backends;
  // From the last to the first: each goes right behind its plugin, so the first said comes first.
  for (auto variant = variants.rbegin(); variant != variants.rend(); ++variant) {
    const auto plugin = std::find(backends.begin(), backends.end(), variant->plugin);
    if (!variant->by_flag || plugin == backends.end() ||
        std::find(backends.begin(), backends.end(), variant->name) != backends.end()) {
      continue;
    }
    backends.insert(plugin + 1, variant->name);
  }
}

}  // namespace tlsrig::scenario
