// Comes from a later time of the same ABI: its table, its info and its configuration have fields at their ends that
// this host does not know.
#include "toy.h"

struct newer_info {
  tlsrig_info known;
  const char* later[4];
};

static tlsrig_result tells_more(const tlsrig_info** info, tlsrig_error* error) {
  static struct newer_info newer;
  const tlsrig_result result = toy_start(info, error);
  newer.known = **info;
  newer.known.struct_size = sizeof newer;
  newer.known.config_size = sizeof(tlsrig_config) + 40;
  newer.later[0] = "what later hosts ask for";
  *info = &newer.known;
  return result;
}

struct newer_backend {
  tlsrig_backend known;
  void (*later[3])(void);
};

static void later(void) { abort(); }

// The symbol is named here and not in C, since the header declares it with the type that this host knows.
extern TLSRIG_EXPORT const struct newer_backend newer_table __asm__("tlsrig_backend_v1");
const struct newer_backend newer_table = {{TOY_TABLE, .struct_size = sizeof(struct newer_backend), .start = tells_more},
                                          {later, later, later}};
