#include "CAshlarNats.h"

#include <dlfcn.h>
#include <stdio.h>

const ashlar_nats *ashlar_nats_open(const char *name, int threads, char *error, size_t size) {
    static ashlar_nats nats;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(error, size, "%s", reason ? reason : "the library can't be opened");
        return NULL;
    }
#define WANTED(result, name, arguments) {#name, &nats.name},
    struct {
        const char *symbol;
        void *place;
    } wanted[] = {ASHLAR_NATS_FUNCTIONS(WANTED)};
    const char *missing = NULL;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        void *found = dlsym(library, wanted[i].symbol);
        if (!found) missing = wanted[i].symbol;
        *(void **)wanted[i].place = found;
    }
    if (missing) {
        snprintf(error, size, "%s has no function %s", name, missing);
    } else if (nats.nats_Open(-1) != 0 || nats.nats_SetMessageDeliveryPoolSize(threads) != 0) {
        // -1 is the default of spins for locks.
        snprintf(error, size, "%s can't be initialized", name);
    } else {
        return &nats;
    }
    dlclose(library);
    return NULL;
}
