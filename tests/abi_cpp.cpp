// The contract's headers as C++20: layout and constants, and that every struct is the same plain data as in C.
#include <type_traits>

#include "abi_layout.h"

#define ABI_ASSERT_PLAIN(type, bytes) \
  static_assert(std::is_standard_layout_v<type> && std::is_trivial_v<type>, #type " is plain data");
#define ABI_IGNORE_FIELD(type, field, offset, bytes)
ABI_LAYOUT(ABI_ASSERT_PLAIN, ABI_IGNORE_FIELD)

static_assert(std::is_same_v<decltype(tlsrig_backend_v1), const tlsrig_backend>);

int main() { abi_print("C++20"); }
