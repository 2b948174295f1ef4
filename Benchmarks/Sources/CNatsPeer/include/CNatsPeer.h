// Two connections of the C client: one publishes, and the other one receives.
#ifndef CNATSPEER_H
#define CNATSPEER_H

// Connects both; returns 0 on success.
int cnats_start(const char *url);
// Publishes `count` messages of `size` bytes and waits until all have arrived; returns the number of those that have.
int cnats_flood(int count, int size);
// Sends one message back and forth `count` times; returns the number of returns.
int cnats_ping(int count, int size);
// Ends both connections.
void cnats_stop(void);

#endif
