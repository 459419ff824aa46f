// A context of a backend, and what it is made from.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <tlsrig/host/backend.hpp>

namespace tlsrig::host {

// The backend cannot do what was asked, in its own words: unsupported, not failed.
struct Unsupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A context or session could not be made.
struct SetupError : std::runtime_error {
  SetupError(const std::string& text, const tlsrig_error& error_) : std::runtime_error(text), error(error_) {}
  tlsrig_error error;
};

// tlsrig_config with owned strings; empty lists and paths are the library's defaults.
struct ContextOptions {
  std::int32_t role = TLSRIG_CLIENT;
  std::uint32_t protocols = 0;
  std::uint32_t verify_peer = 0;
  std::vector<std::string> ciphers, groups;
  std::string certificate_chain, private_key, trust_anchors;
  std::uint32_t tickets = 0;
  std::uint32_t session_cache = 0;
  std::uint32_t record_size_max = 0;
  std::uint32_t release_buffers = 0;
  std::uint32_t read_ahead = 0;
};

class Context {
 public:
  // Throws Unsupported or SetupError. The backend must outlive the context, the context its sessions.
  Context(const Backend& backend, const ContextOptions& options);

  const Backend& backend() const { return *backend_; }
  tlsrig_context* get() const { return context_.get(); }

 private:
  struct Destroyer {
    const Backend* backend;
    void operator()(tlsrig_context* context) const;
  };

  const Backend* backend_;
  std::unique_ptr<tlsrig_context, Destroyer> context_;
};

}  // namespace tlsrig::host
