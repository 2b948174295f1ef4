#include "CCurlPeer.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

#define WIDEST 256

typedef struct {
    char bytes[4096];
    size_t size;
} body;

static size_t collect(char *bytes, size_t size, size_t count, void *context) {
    body *b = context;
    size_t n = size * count;
    if (b->size + n <= sizeof(b->bytes)) memcpy(b->bytes + b->size, bytes, n);
    b->size += n;
    return n;
}

static struct curl_slist *fields;
static CURL *easy;
static CURLM *multi;
static CURL *handles[WIDEST];
static body bodies[WIDEST];

// The same request, byte for byte, as the other contender sends.
static CURL *make(const char *url, body *b) {
    CURL *handle = curl_easy_init();
    if (!fields) {
        fields = curl_slist_append(NULL, "User-Agent: Ashlar");
        fields = curl_slist_append(fields, "Accept: */*");
        fields = curl_slist_append(fields, "Accept-Encoding: gzip, deflate, br, zstd");
    }
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, fields);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_URL, url);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, b);
    curl_easy_setopt(handle, CURLOPT_PRIVATE, b);
    return handle;
}

static int isGood(CURL *handle, CURLcode result, body *b, size_t size) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    int good = result == CURLE_OK && status == 200 && b->size == size;
    b->size = 0;
    return good;
}

int ccurl_easy_gets(const char *url, int count, size_t size) {
    if (!easy) easy = make(url, &bodies[0]);
    int good = 0;
    for (int i = 0; i < count; i++) good += isGood(easy, curl_easy_perform(easy), &bodies[0], size);
    return good;
}

int ccurl_multi_gets(const char *url, int count, int width, size_t size) {
    if (!multi) multi = curl_multi_init();
    int started = 0, good = 0, running = 0, done = 0;
    for (int i = 0; i < width && started < count; i++, started++) {
        if (!handles[i]) handles[i] = make(url, &bodies[i]);
        curl_multi_add_handle(multi, handles[i]);
    }
    while (done < count) {
        curl_multi_perform(multi, &running);
        CURLMsg *message;
        int left;
        while ((message = curl_multi_info_read(multi, &left))) {
            CURL *handle = message->easy_handle;
            CURLcode result = message->data.result;
            body *b;
            curl_easy_getinfo(handle, CURLINFO_PRIVATE, &b);
            curl_multi_remove_handle(multi, handle);
            good += isGood(handle, result, b, size);
            done++;
            if (started < count) {
                started++;
                curl_multi_add_handle(multi, handle);
            }
        }
        if (done < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    return good;
}

void ccurl_reset(void) {
    if (easy) curl_easy_cleanup(easy);
    easy = NULL;
    for (int i = 0; i < WIDEST; i++) {
        if (handles[i]) curl_easy_cleanup(handles[i]);
        handles[i] = NULL;
    }
    if (multi) curl_multi_cleanup(multi);
    multi = NULL;
}
