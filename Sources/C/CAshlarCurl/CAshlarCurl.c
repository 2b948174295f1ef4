#include "CAshlarCurl.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

// The head of curl_version_info_data; later fields are not needed.
struct version_info {
    int age;
    const char *version;
    unsigned int version_num;
    const char *host;
    int features;
};

#define OLDEST 0x074400u // 7.68.0
#define GLOBAL_ALL 3L

const ashlar_curl *ashlar_curl_open(const char *name, char *error, size_t size) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *reason = dlerror();
        snprintf(error, size, "%s", reason ? reason : "the library cannot be opened");
        return NULL;
    }
    ashlar_curl *c = calloc(1, sizeof(*c));
    int (*global_init)(long) = NULL;
    struct version_info *(*version_info)(int) = NULL;
    struct { const char *symbol; void *place; } wanted[] = {
        {"curl_global_init", &global_init},
        {"curl_version_info", &version_info},
        {"curl_easy_setopt", &c->easy_setopt},
        {"curl_easy_getinfo", &c->easy_getinfo},
        {"curl_multi_setopt", &c->multi_setopt},
        {"curl_easy_init", &c->easy_init},
        {"curl_easy_cleanup", &c->easy_cleanup},
        {"curl_easy_pause", &c->easy_pause},
        {"curl_easy_send", &c->easy_send},
        {"curl_easy_recv", &c->easy_recv},
        {"curl_easy_strerror", &c->easy_strerror},
        {"curl_multi_init", &c->multi_init},
        {"curl_multi_cleanup", &c->multi_cleanup},
        {"curl_multi_add_handle", &c->multi_add_handle},
        {"curl_multi_remove_handle", &c->multi_remove_handle},
        {"curl_multi_perform", &c->multi_perform},
        {"curl_multi_poll", &c->multi_poll},
        {"curl_multi_wakeup", &c->multi_wakeup},
        {"curl_multi_info_read", &c->multi_info_read},
    };
    // An old version may lack a function; its number is the better reason.
    *(void **)&version_info = dlsym(library, "curl_version_info");
    const struct version_info *info = version_info ? version_info(0) : NULL;
    if (info && info->version_num < OLDEST) {
        snprintf(error, size, "%s is version %s, needed is 7.68.0 or later", name, info->version);
        goto fail;
    }
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        void *found = dlsym(library, wanted[i].symbol);
        if (!found) {
            snprintf(error, size, "%s has no function %s", name, wanted[i].symbol);
            goto fail;
        }
        *(void **)wanted[i].place = found;
    }
    // Also searches the libraries that libcurl depends on.
    *(void **)&c->ssl_version = dlsym(library, "SSL_version");
    *(void **)&c->gnutls_version = dlsym(library, "gnutls_protocol_get_version");
    if (global_init(GLOBAL_ALL) != 0) {
        snprintf(error, size, "%s cannot be initialised", name);
        goto fail;
    }
    c->version = info->version;
    c->version_num = info->version_num;
    c->features = info->features;
    return c;
fail:
    free(c);
    dlclose(library);
    return NULL;
}

// struct curl_tlssessioninfo
struct tls_session {
    int backend;
    void *internals;
};

#define BACKEND_OPENSSL 1
#define BACKEND_GNUTLS 2
#define INFO_TLS_SSL_POINTER (0x400000 + 45)

int ashlar_easy_tls_version(const ashlar_curl *c, void *easy) {
    const struct tls_session *session = NULL;
    if (c->easy_getinfo(easy, INFO_TLS_SSL_POINTER, &session) != 0 || !session || !session->internals) return 0;
    if (session->backend == BACKEND_OPENSSL && c->ssl_version) return c->ssl_version(session->internals);
    // gnutls_protocol_t counts from 1 for SSL 3.0.
    if (session->backend == BACKEND_GNUTLS && c->gnutls_version) return 0x0300 + c->gnutls_version(session->internals) - 1;
    return 0;
}

long ashlar_digest_only(void) { return (long)(1UL << 31 | 1UL << 1); }

#endif
