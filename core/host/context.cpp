// Making a context: tlsrig_config from owned options, and the rule for fields that a plugin is too old to know.
#include <tlsrig/host/context.hpp>

#include <array>
#include <cstddef>
#include <type_traits>

#include <fmt/format.h>

#include <tlsrig/host/failure.hpp>

namespace tlsrig::host {

namespace {

// The list as the contract wants it: NULL-terminated, NULL when empty (the library's default).
class NameList {
 public:
  explicit NameList(const std::vector<std::string>& names) {
    if (names.empty()) return;
    for (const std::string& name : names) pointers_.push_back(name.c_str());
    pointers_.push_back(nullptr);
  }
  const char* const* get() const { return pointers_.empty() ? nullptr : pointers_.data(); }

 private:
  std::vector<const char*> pointers_;
};

const char* path_or_null(const std::string& path) { return path.empty() ? nullptr : path.c_str(); }

struct Field {
  const char* name;
  std::size_t end;  // offset of the first byte after it
  bool set;
};

// A plugin never reads what lies beyond its config_size, so a wish there would be dropped in silence. It is answered
// here, without a call, as the plugin itself would have: a library "as shipped" is no less than what was asked.
void refuse_fields_newer_than(const Backend& backend, const tlsrig_config& config) {
  const auto field = [&config](const char* name, const auto& value) {
    const auto begin = reinterpret_cast<const char*>(&value) - reinterpret_cast<const char*>(&config);
    return Field{name, static_cast<std::size_t>(begin) + sizeof value, value != std::decay_t<decltype(value)>{}};
  };
  const std::array fields{
      field("role", config.role),
      field("protocols", config.protocols),
      field("verify_peer", config.verify_peer),
      field("ciphers", config.ciphers),
      field("groups", config.groups),
      field("certificate_chain", config.certificate_chain),
      field("private_key", config.private_key),
      field("trust_anchors", config.trust_anchors),
      field("tickets", config.tickets),
      field("session_cache", config.session_cache),
      field("record_size_max", config.record_size_max),
      field("release_buffers", config.release_buffers),
      field("read_ahead", config.read_ahead),
  };
  static_assert(offsetof(tlsrig_config, read_ahead) + sizeof(tlsrig_config::read_ahead) + 4 >= sizeof(tlsrig_config),
                "a new field of tlsrig_config belongs in this list");
  for (const Field& asked : fields)
    if (asked.set && asked.end > backend.info().config_size)
      throw Unsupported(fmt::format("{}: {} is newer than this plugin", backend.name(), asked.name));
}

}  // namespace

void Context::Destroyer::operator()(tlsrig_context* context) const {
  LoggedCall call(backend->log(), {"destroy_context"});
  // noexcept of its own: an exception would unwind the stack up to here, for the call to be logged, before it ends the
  // process, and nobody could say out of which slot it came.
  [&]() noexcept { backend->table().destroy_context(context); }();
  call.ends(TLSRIG_OK);
}

Context::Context(const Backend& backend, const ContextOptions& options)
    : backend_(&backend), context_(nullptr, Destroyer{&backend}) {
  const NameList ciphers(options.ciphers), groups(options.groups);
  tlsrig_config config{};
  config.struct_size = sizeof config;
  config.role = options.role;
  config.protocols = options.protocols;
  config.verify_peer = options.verify_peer;
  config.ciphers = ciphers.get();
  config.groups = groups.get();
  config.certificate_chain = path_or_null(options.certificate_chain);
  config.private_key = path_or_null(options.private_key);
  config.trust_anchors = path_or_null(options.trust_anchors);
  config.tickets = options.tickets;
  config.session_cache = options.session_cache;
  config.record_size_max = options.record_size_max;
  config.release_buffers = options.release_buffers;
  config.read_ahead = options.read_ahead;
  refuse_fields_newer_than(backend, config);

  tlsrig_error error = no_error();
  tlsrig_context* made = nullptr;
  const CallBegin begin{"create_context", options.role == TLSRIG_CLIENT ? "client" : "server"};
  const tlsrig_result result = without_exceptions("create_context", error, [&] {
    return LoggedCall(backend.log(), begin).ends(backend.table().create_context(&config, &made, &error));
  });
  if (result == TLSRIG_OK) context_.reset(made);
  throw_unless_made(backend.name(), "create_context", result, made, error);
}

}  // namespace tlsrig::host
