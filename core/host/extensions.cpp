// Asking a backend for the tables of the extensions, and judging them.
#include <tlsrig/host/extensions.hpp>

#include <fmt/format.h>
#include <tlsrig/abi/keylog.h>
#include <tlsrig/abi/pending.h>
#include <tlsrig/abi/resumption.h>
#include <tlsrig/host/backend.hpp>

namespace tlsrig::host {

namespace {

const void* code(auto function) { return reinterpret_cast<const void*>(function); }

std::vector<NamedFunction> functions_of(const tlsrig_resumption& table) {
  return {{"resumption.take", code(table.take)},
          {"resumption.open", code(table.open)},
          {"resumption.tickets_received", code(table.tickets_received)},
          {"resumption.release", code(table.release)}};
}

std::vector<NamedFunction> functions_of(const tlsrig_keylog& table) { return {{"keylog.start", code(table.start)}}; }

std::vector<NamedFunction> functions_of(const tlsrig_pending& table) { return {{"pending.bytes", code(table.bytes)}}; }

const void* ask(const tlsrig_backend& table, const char* id, const std::filesystem::path& plugin) {
  try {
    return table.extension(id);
  } catch (const std::exception& exception) {
    throw Refusal(fmt::format("{}: an exception left extension: {}; a backend answers NULL for what it does not have",
                              plugin.string(), exception.what()));
  } catch (...) {
    throw Refusal(fmt::format("{}: an exception left extension; a backend answers NULL for what it does not have",
                              plugin.string()));
  }
}

template <class Table>
void add(std::vector<OfferedExtension>& offered, const char* name, const char* id, const tlsrig_backend& table,
         const std::filesystem::path& plugin) {
  const auto* const extension = static_cast<const Table*>(ask(table, id, plugin));
  if (!extension) return;
  offered.push_back({name, functions_of(*extension)});
  for (const auto& [function, address] : offered.back().functions)
    if (!address)
      throw Refusal(fmt::format("{}: the slot {} of its extension {} is NULL; every slot of a table is required",
                                plugin.string(), function, id));
}

}  // namespace

std::vector<OfferedExtension> offered_extensions(const tlsrig_backend& table, const std::filesystem::path& plugin) {
  std::vector<OfferedExtension> offered;
  add<tlsrig_resumption>(offered, "resumption", TLSRIG_RESUMPTION, table, plugin);
  add<tlsrig_keylog>(offered, "keylog", TLSRIG_KEYLOG, table, plugin);
  add<tlsrig_pending>(offered, "pending", TLSRIG_PENDING, table, plugin);
  return offered;
}

}  // namespace tlsrig::host
