#include "CAshlarNats.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

const ashlar_nats *ashlar_nats_open(const char *name, int threads, char *error, size_t size) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(error, size, "%s", reason ? reason : "the library can't be opened");
        return NULL;
    }
    ashlar_nats *nats = calloc(1, sizeof(*nats));
    if (!nats) {
        snprintf(error, size, "out of memory");
        goto fail;
    }
#define WANTED(result, name, arguments) {#name, &nats->name},
    struct {
        const char *symbol;
        void *place;
    } wanted[] = {ASHLAR_NATS_FUNCTIONS(WANTED)};
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        void *found = dlsym(library, wanted[i].symbol);
        if (!found) {
            snprintf(error, size, "%s has no function %s", name, wanted[i].symbol);
            goto fail;
        }
        *(void **)wanted[i].place = found;
    }
    // The default of spins for locks.
    if (nats->nats_Open(-1) != 0 || nats->nats_SetMessageDeliveryPoolSize(threads) != 0) {
        snprintf(error, size, "%s can't be initialized", name);
        goto fail;
    }
    return nats;
fail:
    free(nats);
    dlclose(library);
    return NULL;
}
