// The server's side of TLS with the system's OpenSSL 3, which is opened at run time; for tests only.
#ifndef CASHLARTESTING_H
#define CASHLARTESTING_H

#include <stddef.h>
#include <stdint.h>

typedef struct ashlar_tls ashlar_tls;
typedef struct ashlar_tls_stream ashlar_tls_stream;

// Makes a key and a self-signed certificate for localhost, 127.0.0.1 and ::1, valid for a week.
// Writes the certificate as PEM to `pem` and the public key as DER to `key`. Returns NULL without OpenSSL 3 or memory.
ashlar_tls *ashlar_tls_open(char *pem, size_t *pem_size, uint8_t *key, size_t *key_size);
void ashlar_tls_close(ashlar_tls *tls);

// Performs the handshake on a blocking socket; returns NULL if it fails.
ashlar_tls_stream *ashlar_tls_accept(ashlar_tls *tls, int descriptor);
// Return the number of bytes, or 0 or less at the end or on failure.
int ashlar_tls_read(ashlar_tls_stream *stream, void *bytes, int size);
int ashlar_tls_write(ashlar_tls_stream *stream, const void *bytes, int size);
// Sends the end of the stream.
void ashlar_tls_finish(ashlar_tls_stream *stream);
void ashlar_tls_free(ashlar_tls_stream *stream);

#endif
