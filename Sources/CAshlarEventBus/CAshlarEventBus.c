#include "CAshlarEventBus.h"

_Thread_local struct ashlar_bus_thread ashlar_bus_thread_state = {0, 0, 0, 0};
