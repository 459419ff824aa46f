// One walk over all flags of all commands, so that none can be forgotten. The parser's own way of reading variables is
// not taken: it tells neither which variable a bad value came from nor whether a flag or a variable has spoken, and it
// would take the value of a list as one item.
#include <tlsrig/cli/environment.hpp>

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <tlsrig/cli/command.hpp>
#include <tlsrig/scenario/nearest.hpp>

namespace tlsrig::cli {

namespace {

constexpr std::string_view prefix = "TLSRIG_";
constexpr const char* search_path = "TLSRIG_BACKEND_PATH";     // read where plugins are looked for
constexpr const char* certificates_path = "TLSRIG_CACHE_DIR";  // read where certificates are made

bool is_flag(const CLI::Option& option) {
  return !option.get_positional() && !option.get_lnames().empty() && option.get_lnames().front() != "help";
}

std::vector<CLI::Option*> flags_of(CLI::App& command) {
  return command.get_options([](CLI::Option* option) { return is_flag(*option); });
}

std::string variable_of(const CLI::Option& option) { return cli::variable_of(option.get_lnames().front()); }

std::optional<std::string> value_of(const std::string& variable) {
  const char* const value = std::getenv(variable.c_str());
  return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// What the variable stands for on the command line.
std::vector<std::string> arguments_of(const CLI::Option& option, const std::string& variable,
                                      const std::string& value) {
  const std::string flag = "--" + option.get_lnames().front();
  const bool is_switch = option.get_items_expected_max() == 0;
  if (!is_switch) {
    std::vector<std::string> arguments;
    const bool repeated = option.get_items_expected_max() > 1;
    for (const auto& one : repeated ? lines_of(value) : std::vector<std::string>{value})
      arguments.push_back(flag + "=" + one);
    return arguments;
  }
  std::string word = value;
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char letter) { return std::tolower(letter); });
  if (word == "1" || word == "true" || word == "yes" || word == "on") return {flag};
  if (word == "0" || word == "false" || word == "no" || word == "off") return {};
  throw Unusable(fmt::format("{}: found \"{}\"; allowed: 1, true, yes or on, or 0, false, no or off, for {}", variable,
                             value, flag));
}

void parse_with(CLI::App& app, const std::vector<std::string>& arguments, const std::string& command,
                const std::vector<std::string>& added) {
  std::vector<std::string> whole = arguments;
  const auto at = std::find(whole.begin() + 1, whole.end(), command);
  whole.insert(at == whole.end() ? at : at + 1, added.begin(), added.end());
  std::vector<const char*> pointers;
  for (const auto& argument : whole) pointers.push_back(argument.c_str());
  app.parse(static_cast<int>(pointers.size()), pointers.data());
}

}  // namespace

std::string variable_of(const std::string& long_name) {
  std::string name(prefix);
  for (const char letter : long_name)
    name += letter == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return name;
}

void name_variables(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    for (CLI::Option* flag : flags_of(*command))
      flag->description(fmt::format("{} [{}]", flag->get_description(), variable_of(*flag)));
}

void parse(CLI::App& app, CommandLine& line) {
  parse_with(app, line.arguments, "", {});
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) return;
  CLI::App& command = *chosen.front();
  // Of the command line alone; parsing again forgets it.
  std::vector<CLI::Option*> flags = flags_of(command);
  std::erase_if(flags, [](const CLI::Option* flag) { return flag->count() > 0; });
  std::vector<std::string> added;
  for (CLI::Option* flag : flags) {
    const std::string variable = variable_of(*flag);
    const auto value = value_of(variable);
    if (!value) continue;
    if (variable == search_path) {
      line.variables.push_back({variable, *value, ""});
      continue;
    }
    const auto arguments = arguments_of(*flag, variable, *value);
    try {
      parse_with(app, line.arguments, command.get_name(), arguments);
    } catch (const CLI::ParseError& error) {
      throw Unusable(fmt::format("{}: {}", variable, error.what()));
    }
    if (arguments.empty()) continue;
    added.insert(added.end(), arguments.begin(), arguments.end());
    const auto& shorts = flag->get_snames();
    line.variables.push_back(
        {variable, *value, shorts.empty() ? "--" + flag->get_lnames().front() : "-" + shorts.front()});
  }
  if (!added.empty()) parse_with(app, line.arguments, command.get_name(), added);
}

std::vector<std::string> unknown_variables(const CLI::App& app) {
  std::vector<std::string> known{search_path, certificates_path};
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    for (const CLI::Option* option : command->get_options())
      if (is_flag(*option)) known.push_back(variable_of(*option));
  std::vector<std::string> lines;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    const std::string name(text.substr(0, text.find('=')));
    if (!name.starts_with(prefix) || std::find(known.begin(), known.end(), name) != known.end()) continue;
    lines.push_back(fmt::format("the variable {} has no meaning{}", name, scenario::did_you_mean(name, known)));
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::vector<std::string> repeatable(const CommandLine& line) {
  if (line.variables.empty()) return line.arguments;
  std::vector<std::string> command{"env"};
  for (const auto& setting : line.variables) command.push_back(setting.variable + "=" + setting.value);
  command.insert(command.end(), line.arguments.begin(), line.arguments.end());
  return command;
}

}  // namespace tlsrig::cli
