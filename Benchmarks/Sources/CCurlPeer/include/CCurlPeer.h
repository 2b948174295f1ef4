// libcurl used from C as its own examples do: the peer for requests and streams.
#ifndef CCURLPEER_H
#define CCURLPEER_H

#include <stddef.h>

// Sends `count` GETs one behind the other on one easy handle; returns how many brought status 200 and `size` bytes.
int ccurl_easy_gets(const char *url, int count, size_t size);

// The same with `width` at a time on one multi handle, driven by curl_multi_poll.
int ccurl_multi_gets(const char *url, int count, int width, size_t size);

// Drops handles and connections that the calls above keep for the next one.
void ccurl_reset(void);

#endif
