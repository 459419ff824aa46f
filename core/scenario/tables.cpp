// The tables of a scenario file, and names and dotted paths of keys.
#include <algorithm>

#include <tlsrig/scenario/keys.hpp>

namespace tlsrig::scenario {
namespace {

constexpr Table table_list[] = {
    {"", "What the file is"},
    {"roles",
     "Who plays what: `\"backend\"` or a name for short, a table to say more; a list is an axis, as in `[matrix]`"},
    {"roles.client", ""},
    {"roles.server", ""},
    {"variant", "Other builds of the libraries, each under a name that stands for a backend everywhere"},
    {"variant.NAME", ""},
    {"relay", "A relay between client and server, in a process of its own: needed by pipe, possible in echo", relayed},
    {"socket", "Every socket of the cell", socketed},
    {"tls", "Pinned at both ends and proved after every handshake; no part of it applies to plaintcp"},
    {"tls.certificate", ""},
    {"traffic", "What is sent", moving},
    {"engine", "What is called, in memory and without sockets", engine_only},
    {"connect", "Connections one after the other", bit(Workload::connect), false},
    {"idle", "Connections that do nothing", bit(Workload::idle), false},
    {"measure", "How long, how often, how sure"},
    {"measure.blocks", ""},
    {"matrix", "Axes: a quoted dotted key and the list of its values; every combination becomes a cell"},
    {"thresholds",
     "What must hold: a table names a `backend` (where the values of a key are compared an `arm`, or both), a `metric` "
     "and an `expr`; `cell` keeps it to the cells that have this in their id"},
};

}  // namespace

const Key* find_key(std::string_view path) {
  const auto all = keys();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Key& key) { return key.path == path; });
  return at == all.end() ? nullptr : &*at;
}

std::span<const Table> tables() { return table_list; }

const Table* find_table(std::string_view path) {
  const auto same = [&](const Table& candidate) { return candidate.path == path; };
  const auto at = std::find_if(std::begin(table_list), std::end(table_list), same);
  return at == std::end(table_list) ? nullptr : at;
}

std::string_view table_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

std::string_view last_part(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

std::string join(std::string_view table_path, std::string_view name) {
  return table_path.empty() ? std::string(name) : std::string(table_path) + "." + std::string(name);
}

bool lies_in(std::string_view path, std::string_view table_path) {
  return path == table_path || (path.starts_with(table_path) && path.size() > table_path.size() &&
                                (table_path.empty() || path[table_path.size()] == '.'));
}

std::vector<std::string> names_in(std::string_view table_path) {
  std::vector<std::string> names;
  const auto take = [&](std::string_view path) {
    const std::string name(last_part(path));
    if (!path.empty() && table_of(path) == table_path && std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(name);
    }
  };
  for (const Key& key : keys()) {
    take(key.path);
  }
  for (const Table& candidate : table_list) {
    take(candidate.path);
  }
  return names;
}

std::string_view workload_name(Workload workload) { return workload_words()[static_cast<std::size_t>(workload)].text; }

std::vector<std::string> texts(std::span<const Word> words, bool offered_only) {
  std::vector<std::string> out;
  for (const Word& word : words) {
    if (word.offered || !offered_only) {
      out.emplace_back(word.text);
    }
  }
  return out;
}

std::string workloads_text(Workloads workloads) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < workload_words().size(); ++i) {
    if ((workloads >> i & 1U) != 0) {
      names.push_back(workload_words()[i].text);
    }
  }
  std::string out = names.size() == 1 ? "the workload " : "the workloads ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
    out += names[i];
  }
  return out;
}

}  // namespace tlsrig::scenario
