// Opens the system's libcurl at run time, so that a build needs neither its headers nor the library.
//
// The numbers and signatures come from curl/curl.h and curl/multi.h (7.68 and later, soname 4), whose binary interface
// hasn't changed an existing option since 2006. Swift can't call variadic functions, so each has a typed wrapper for each
// kind of argument.
#ifndef CASHLARCURL_H
#define CASHLARCURL_H

#include <stddef.h>
#include <stdint.h>

#include "CAshlarInflater.h"

// struct curl_waitfd
typedef struct ashlar_curl_wait {
    int descriptor;
    short events;
    short ready;
} ashlar_curl_wait;

typedef struct ashlar_curl {
    const char *version;      // "7.88.1"
    unsigned int version_num; // 0x075801
    int features;
    int (*easy_setopt)(void *, int, ...);
    int (*easy_getinfo)(void *, int, ...);
    int (*multi_setopt)(void *, int, ...);
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *);
    int (*easy_pause)(void *, int);
    int (*easy_send)(void *, const void *, size_t, size_t *);
    int (*easy_recv)(void *, void *, size_t, size_t *);
    const char *(*easy_strerror)(int);
    void *(*multi_init)(void);
    int (*multi_cleanup)(void *);
    int (*multi_add_handle)(void *, void *);
    int (*multi_remove_handle)(void *, void *);
    int (*multi_perform)(void *, int *);
    int (*multi_poll)(void *, struct ashlar_curl_wait *, unsigned int, int, int *);
    int (*multi_wakeup)(void *);
    void *(*multi_info_read)(void *, int *);
    // OpenSSL's function in the library that libcurl uses, or NULL: libcurl may use another TLS library.
    int (*ssl_version)(const void *);
    // GnuTLS's function, or NULL.
    int (*gnutls_version)(const void *);
} ashlar_curl;

// struct curl_slist
typedef struct ashlar_curl_list {
    char *data;
    struct ashlar_curl_list *next;
} ashlar_curl_list;

// The result of curl_multi_info_read.
typedef struct ashlar_curl_message {
    int message;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
} ashlar_curl_message;

typedef size_t (*ashlar_curl_data_callback)(char *, size_t, size_t, void *);
typedef int (*ashlar_curl_seek_callback)(void *, int64_t, int);
typedef int (*ashlar_curl_open_callback)(void *, int, void *);
typedef int (*ashlar_curl_close_callback)(void *, int);
typedef int (*ashlar_curl_prereq_callback)(void *, char *, char *, int, int);

// Opens and initializes the library; on failure returns NULL and writes the reason to `error`.
// The library stays open for the lifetime of the process.
const ashlar_curl *ashlar_curl_open(const char *name, char *error, size_t size);

// `CURLAUTH_ONLY | CURLAUTH_DIGEST`: answers digest challenges only, and sends nothing in advance. A function, because the
// value is wider than a signed long of 32 bits.
long ashlar_digest_only(void);

static inline int ashlar_easy_long(const ashlar_curl *c, void *easy, int option, long value) {
    return c->easy_setopt(easy, option, value);
}
static inline int ashlar_easy_off(const ashlar_curl *c, void *easy, int option, int64_t value) {
    return c->easy_setopt(easy, option, value);
}
static inline int ashlar_easy_pointer(const ashlar_curl *c, void *easy, int option, const void *value) {
    return c->easy_setopt(easy, option, value);
}
static inline int ashlar_easy_data(const ashlar_curl *c, void *easy, int option, ashlar_curl_data_callback value) {
    return c->easy_setopt(easy, option, value);
}
static inline int ashlar_easy_seek(const ashlar_curl *c, void *easy, int option, ashlar_curl_seek_callback value) {
    return c->easy_setopt(easy, option, value);
}
static inline int ashlar_easy_open(const ashlar_curl *c, void *easy, int option, ashlar_curl_open_callback value) {
    return c->easy_setopt(easy, option, value);
}
static inline int ashlar_easy_close(const ashlar_curl *c, void *easy, int option, ashlar_curl_close_callback value) {
    return c->easy_setopt(easy, option, value);
}
static inline int ashlar_easy_prereq(const ashlar_curl *c, void *easy, int option, ashlar_curl_prereq_callback value) {
    return c->easy_setopt(easy, option, value);
}
static inline int64_t ashlar_easy_info_long(const ashlar_curl *c, void *easy, int info) {
    long value = 0;
    return c->easy_getinfo(easy, info, &value) == 0 ? value : -1;
}
static inline int64_t ashlar_easy_info_off(const ashlar_curl *c, void *easy, int info) {
    int64_t value = 0;
    return c->easy_getinfo(easy, info, &value) == 0 ? value : -1;
}
static inline int ashlar_easy_info_socket(const ashlar_curl *c, void *easy, int info) {
    int value = -1;
    return c->easy_getinfo(easy, info, &value) == 0 ? value : -1;
}
static inline void *ashlar_easy_info_pointer(const ashlar_curl *c, void *easy, int info) {
    void *value = NULL;
    return c->easy_getinfo(easy, info, &value) == 0 ? value : NULL;
}
static inline const char *ashlar_easy_info_text(const ashlar_curl *c, void *easy, int info) {
    const char *value = NULL;
    return c->easy_getinfo(easy, info, &value) == 0 ? value : NULL;
}
// Returns the number of the version of TLS of the running transfer's connection, such as 0x0304 for 1.3, or 0 if unknown.
int ashlar_easy_tls_version(const ashlar_curl *c, void *easy);
static inline int ashlar_multi_long(const ashlar_curl *c, void *multi, int option, long value) {
    return c->multi_setopt(multi, option, value);
}
#endif
