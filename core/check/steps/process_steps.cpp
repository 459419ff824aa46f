// What a plugin does to the process that loads it, and whether it runs with the library that it was compiled for.
#include <memory>
#include <string_view>

#include <tlsrig/check/bench/conversation.hpp>
#include <tlsrig/check/bench/judgement.hpp>
#include <tlsrig/check/bench/signals.hpp>
#include <tlsrig/check/steps/lists.hpp>

namespace tlsrig::check {
namespace {

// Looks after each stage of a session, so that the words can say which one it was.
void signals_untouched(const Setup& setup) {
  Signals before = Signals::now();
  if (setup.signals_before)
    if (const std::string changes = before.changes_since(*setup.signals_before); !changes.empty())
      warn("loading the plugin, or its start(), {}", changes);
  const auto require_untouched = [&](const char* who) {
    const Signals now = Signals::now();
    if (const std::string changes = now.changes_since(before); !changes.empty()) warn("{} {}", who, changes);
  };
  const Settings settings = usual(setup);
  const Contexts contexts(*setup.backend, *setup.backend, settings);
  require_untouched("create_context()");
  const auto bench = std::make_unique<Bench>(contexts, both_over(setup.transport), settings.server_name.c_str());
  require_untouched("open()");
  shake(*bench);
  require_untouched("handshake()");
  exchange(*bench, 1000);
  require_untouched("read() or write()");
  end_orderly(*bench);
  require_untouched("shutdown() or the read() of the end");
  bench->client().close();
  bench->server().close();
  require_untouched("close()");
}

// "OpenSSL 3.0.11 19 Sep 2023" of a build that says "...; headers: OpenSSL 3.0.11 19 Sep 2023; ..."; else empty.
std::string_view version_of_headers(std::string_view build) {
  constexpr std::string_view key = "headers: ";
  const std::size_t at = build.find(key);
  if (at == std::string_view::npos) return {};
  const std::string_view version = build.substr(at + key.size());
  return version.substr(0, version.find(';'));
}

std::string library_version(const Setup& setup) {
  const tlsrig_info& info = setup.backend->info();
  const std::string_view headers = version_of_headers(info.build ? info.build : "");
  if (!headers.empty()) warn("the plugin was compiled with the headers of {}, and {} runs", headers, info.library);
  return info.library;
}

}  // namespace

std::vector<Step> process_steps() {
  return {
      {"signals-untouched", "law 8: no call touches signals", judged<signals_untouched>,
       "leave dispositions and masks as they are, also in constructors and start(), and tell the library to install no "
       "handlers"},
      {"library-version", "the library that runs is the one that the plugin was compiled for", judged<library_version>,
       "compile the plugin again with the headers of the library that is installed, or install the library of its "
       "headers"},
  };
}

}  // namespace tlsrig::check
