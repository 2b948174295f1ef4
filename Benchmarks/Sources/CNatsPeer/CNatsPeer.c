#include "CNatsPeer.h"

#include <nats/nats.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static natsConnection *sender, *receiver;
static natsSubscription *flood, *ping, *pong;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int received, wanted, returned;

static void count_message(natsConnection *c, natsSubscription *s, natsMsg *message, void *closure) {
    (void)c, (void)s, (void)closure;
    natsMsg_Destroy(message);
    pthread_mutex_lock(&lock);
    if (++received >= wanted) pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void return_message(natsConnection *c, natsSubscription *s, natsMsg *message, void *closure) {
    (void)s, (void)closure;
    natsConnection_Publish(c, "peer.pong", natsMsg_GetData(message), natsMsg_GetDataLength(message));
    natsMsg_Destroy(message);
}

static void count_return(natsConnection *c, natsSubscription *s, natsMsg *message, void *closure) {
    (void)c, (void)s, (void)closure;
    natsMsg_Destroy(message);
    pthread_mutex_lock(&lock);
    returned++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

int cnats_start(const char *url) {
    if (natsConnection_ConnectTo(&sender, url) || natsConnection_ConnectTo(&receiver, url)) return 1;
    if (natsConnection_Subscribe(&flood, receiver, "peer.flood", count_message, NULL)) return 2;
    if (natsConnection_Subscribe(&ping, receiver, "peer.ping", return_message, NULL)) return 3;
    if (natsConnection_Subscribe(&pong, sender, "peer.pong", count_return, NULL)) return 4;
    natsSubscription_SetPendingLimits(flood, -1, -1);
    return natsConnection_Flush(receiver) || natsConnection_Flush(sender) ? 5 : 0;
}

// Waits up to ten seconds until a counter has a value; called with the lock.
static void wait_for(int *counter, int value) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 10;
    while (*counter < value && pthread_cond_timedwait(&changed, &lock, &end) == 0) {}
}

int cnats_flood(int count, int size) {
    char *bytes = calloc(1, (size_t)size);
    pthread_mutex_lock(&lock);
    received = 0;
    wanted = count;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < count; i++) natsConnection_Publish(sender, "peer.flood", bytes, size);
    free(bytes);
    pthread_mutex_lock(&lock);
    wait_for(&received, count);
    int result = received;
    pthread_mutex_unlock(&lock);
    return result;
}

int cnats_ping(int count, int size) {
    char *bytes = calloc(1, (size_t)size);
    pthread_mutex_lock(&lock);
    returned = 0;
    for (int i = 0; i < count; i++) {
        pthread_mutex_unlock(&lock);
        natsConnection_Publish(sender, "peer.ping", bytes, size);
        pthread_mutex_lock(&lock);
        wait_for(&returned, i + 1);
    }
    int result = returned;
    pthread_mutex_unlock(&lock);
    free(bytes);
    return result;
}

void cnats_stop(void) {
    natsSubscription_Destroy(flood);
    natsSubscription_Destroy(ping);
    natsSubscription_Destroy(pong);
    natsConnection_Destroy(sender);
    natsConnection_Destroy(receiver);
}
