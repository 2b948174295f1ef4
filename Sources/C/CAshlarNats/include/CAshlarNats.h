// Opens the official C client of NATS at run time, so that a build needs neither its headers nor the library.
//
// The signatures come from nats.h (3.4 and later, whose soname names the minor version). All objects are opaque, and no
// structure of the library is declared here, so that its layout may change: streams, consumers and buckets are requests in
// JSON, which the server's documentation describes.
#ifndef CASHLARNATS_H
#define CASHLARNATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void (*ashlar_nats_message_callback)(void *connection, void *subscription, void *message, void *closure);
typedef void (*ashlar_nats_connection_callback)(void *connection, void *closure);
typedef void (*ashlar_nats_error_callback)(void *connection, void *subscription, int status, void *closure);
typedef void (*ashlar_nats_complete_callback)(void *closure);

// The functions as F(result, name, arguments); a result of type int is a natsStatus.
#define ASHLAR_NATS_FUNCTIONS(F) \
    F(int, nats_Open, (int64_t spins)) \
    F(const char *, nats_GetLastError, (int *status)) \
    F(const char *, natsStatus_GetText, (int status)) \
    F(int, nats_SetMessageDeliveryPoolSize, (int size)) \
    F(int, natsOptions_Create, (void **options)) \
    F(void, natsOptions_Destroy, (void *options)) \
    F(int, natsOptions_SetServers, (void *options, const char **urls, int count)) \
    F(int, natsOptions_SetName, (void *options, const char *name)) \
    F(int, natsOptions_SetNoEcho, (void *options, bool value)) \
    F(int, natsOptions_SetUserInfo, (void *options, const char *user, const char *password)) \
    F(int, natsOptions_SetToken, (void *options, const char *token)) \
    F(int, natsOptions_SetUserCredentialsFromFiles, (void *options, const char *chain, const char *seed)) \
    F(int, natsOptions_SetSecure, (void *options, bool value)) \
    F(int, natsOptions_LoadCATrustedCertificates, (void *options, const char *file)) \
    F(int, natsOptions_LoadCertificatesChain, (void *options, const char *certificates, const char *key)) \
    F(int, natsOptions_SetExpectedHostname, (void *options, const char *name)) \
    F(int, natsOptions_SetAllowReconnect, (void *options, bool value)) \
    F(int, natsOptions_SetIgnoreDiscoveredServers, (void *options, bool value)) \
    F(int, natsOptions_SetErrorHandler, (void *options, ashlar_nats_error_callback failed, void *closure)) \
    F(int, natsOptions_SetClosedCB, (void *options, ashlar_nats_connection_callback closed, void *closure)) \
    F(int, natsOptions_SetPingInterval, (void *options, int64_t milliseconds)) \
    F(int, natsOptions_SetMaxPingsOut, (void *options, int count)) \
    F(int, natsOptions_SetTimeout, (void *options, int64_t milliseconds)) \
    F(int, natsOptions_SetWriteDeadline, (void *options, int64_t milliseconds)) \
    F(int, natsOptions_UseGlobalMessageDelivery, (void *options, bool value)) \
    F(int, natsConnection_Connect, (void **connection, void *options)) \
    F(void, natsConnection_Close, (void *connection)) \
    F(void, natsConnection_Destroy, (void *connection)) \
    F(int, natsConnection_FlushTimeout, (void *connection, int64_t milliseconds)) \
    F(int, natsConnection_GetConnectedUrl, (void *connection, char *buffer, size_t size)) \
    F(int64_t, natsConnection_GetMaxPayload, (void *connection)) \
    F(int, natsConnection_GetLastError, (void *connection, const char **text)) \
    F(int, natsConnection_Publish, (void *connection, const char *subject, const void *bytes, int count)) \
    F(int, natsConnection_PublishMsg, (void *connection, void *message)) \
    F(int, natsConnection_Subscribe, \
      (void **subscription, void *connection, const char *subject, ashlar_nats_message_callback callback, void *closure)) \
    F(int, natsConnection_QueueSubscribe, \
      (void **subscription, void *connection, const char *subject, const char *group, \
       ashlar_nats_message_callback callback, void *closure)) \
    F(int, natsSubscription_SetPendingLimits, (void *subscription, int messages, int bytes)) \
    F(int, natsSubscription_SetOnCompleteCB, (void *subscription, ashlar_nats_complete_callback callback, void *closure)) \
    F(void, natsSubscription_Destroy, (void *subscription)) \
    F(int, natsMsg_Create, (void **message, const char *subject, const char *reply, const char *bytes, int count)) \
    F(void, natsMsg_Destroy, (void *message)) \
    F(const char *, natsMsg_GetSubject, (const void *message)) \
    F(const char *, natsMsg_GetReply, (const void *message)) \
    F(const char *, natsMsg_GetData, (const void *message)) \
    F(int, natsMsg_GetDataLength, (const void *message)) \
    F(int, natsMsgHeader_Set, (void *message, const char *name, const char *value)) \
    F(int, natsMsgHeader_Get, (void *message, const char *name, const char **value)) \
    F(int, natsMsgHeader_Keys, (void *message, const char ***names, int *count))

#define ASHLAR_NATS_FIELD(result, name, arguments) result(*name) arguments;
typedef struct ashlar_nats {
    ASHLAR_NATS_FUNCTIONS(ASHLAR_NATS_FIELD)
} ashlar_nats;

// Opens and initializes the library, once per process; on failure returns NULL and writes the reason to `error`.
// The library stays open for the lifetime of the process. `threads` deliver the messages of all subscriptions.
const ashlar_nats *ashlar_nats_open(const char *name, int threads, char *error, size_t size);

#endif
