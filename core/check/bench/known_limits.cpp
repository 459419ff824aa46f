// The limits, one line each.
#include <tlsrig/check/bench/known_limits.hpp>

#include <tlsrig/check/bench/judgement.hpp>

namespace tlsrig::check {
namespace {

struct KnownLimit {
  Limit limit;
  const char* backend;
  std::uint32_t protocol;
  const char* words;
};

constexpr KnownLimit known_limits[] = {
    {Limit::no_alert_for_a_missing_certificate, "wolfssl", TLSRIG_TLS_1_2,
     "sends no alert when the client's certificate is missing"},
    {Limit::handshake_in_small_records, "wolfssl", TLSRIG_TLS_1_2, "wants the header of a message in one record"},
    {Limit::handshake_in_small_records, "wolfssl", TLSRIG_TLS_1_3, "wants the header of a message in one record"},
    {Limit::refused_ticket_is_fatal, "wolfssl", TLSRIG_TLS_1_2, "fails when the server does not accept its ticket"},
    {Limit::verification_lost_with_a_ticket, "wolfssl", TLSRIG_TLS_1_2,
     "does not put the client's certificate into its tickets"},
    {Limit::verification_lost_with_a_ticket, "wolfssl", TLSRIG_TLS_1_3,
     "does not put the client's certificate into its tickets"},
};

}  // namespace

void skip_if_known(Limit limit, const Setup& setup, const std::string& seen) {
  for (const KnownLimit& known : known_limits)
    if (known.limit == limit && known.protocol == setup.protocol && setup.backend->name() == known.backend)
      skip("{} {}{}", known.backend, known.words, seen.empty() ? "" : " (" + seen + ")");
}

}  // namespace tlsrig::check
