// Exports thirty names beside its entry.
#include "toy.h"

TLSRIG_EXPORT int first_0, first_1, first_2, first_3, first_4, first_5, first_6, first_7, first_8, first_9;
TLSRIG_EXPORT int second_0, second_1, second_2, second_3, second_4, second_5, second_6, second_7, second_8, second_9;
TLSRIG_EXPORT int third_0, third_1, third_2, third_3, third_4, third_5, third_6, third_7, third_8, third_9;

TLSRIG_EXPORT const tlsrig_backend tlsrig_backend_v1 = {TOY_TABLE};
