#include "CAshlarTesting.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// OpenSSL's functions, from openssl/ssl.h, openssl/evp.h, openssl/x509.h and openssl/pem.h of version 3.
static struct {
    void *(*server_method)(void);
    void *(*ctx_new)(const void *);
    void (*ctx_free)(void *);
    int (*use_certificate)(void *, void *);
    int (*use_key)(void *, void *);
    void *(*ssl_new)(void *);
    void (*ssl_free)(void *);
    int (*set_fd)(void *, int);
    int (*accept)(void *);
    int (*read)(void *, void *, int);
    int (*write)(void *, const void *, int);
    int (*shutdown)(void *);
    void *(*key_ctx_new)(int, void *);
    void (*key_ctx_free)(void *);
    int (*keygen_init)(void *);
    int (*set_group)(void *, const char *);
    int (*generate)(void *, void **);
    void (*key_free)(void *);
    int (*encode_key)(const void *, unsigned char **);
    void *(*x509_new)(void);
    void (*x509_free)(void *);
    int (*set_version)(void *, long);
    void *(*serial)(void *);
    int (*integer_set)(void *, long);
    void *(*not_before)(const void *);
    void *(*not_after)(const void *);
    void *(*adjust)(void *, long);
    int (*set_key)(void *, void *);
    void *(*subject)(const void *);
    int (*add_name)(void *, const char *, int, const unsigned char *, int, int, int);
    int (*set_issuer)(void *, const void *);
    void *(*extension)(void *, void *, int, const char *);
    void (*extension_free)(void *);
    int (*add_extension)(void *, void *, int);
    int (*sign)(void *, void *, const void *);
    const void *(*sha256)(void);
    const void *(*memory)(void);
    void *(*bio_new)(const void *);
    int (*bio_free)(void *);
    int (*bio_read)(void *, void *, int);
    int (*write_pem)(void *, const void *);
} ssl;

static int has_ssl;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *crypto = dlopen("libcrypto.so.3", RTLD_NOW | RTLD_LOCAL);
    void *library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!crypto || !library) return;
    struct { void *library; const char *name; void *place; } wanted[] = {
        {library, "TLS_server_method", &ssl.server_method},
        {library, "SSL_CTX_new", &ssl.ctx_new},
        {library, "SSL_CTX_free", &ssl.ctx_free},
        {library, "SSL_CTX_use_certificate", &ssl.use_certificate},
        {library, "SSL_CTX_use_PrivateKey", &ssl.use_key},
        {library, "SSL_new", &ssl.ssl_new},
        {library, "SSL_free", &ssl.ssl_free},
        {library, "SSL_set_fd", &ssl.set_fd},
        {library, "SSL_accept", &ssl.accept},
        {library, "SSL_read", &ssl.read},
        {library, "SSL_write", &ssl.write},
        {library, "SSL_shutdown", &ssl.shutdown},
        {crypto, "EVP_PKEY_CTX_new_id", &ssl.key_ctx_new},
        {crypto, "EVP_PKEY_CTX_free", &ssl.key_ctx_free},
        {crypto, "EVP_PKEY_keygen_init", &ssl.keygen_init},
        {crypto, "EVP_PKEY_CTX_set_group_name", &ssl.set_group},
        {crypto, "EVP_PKEY_generate", &ssl.generate},
        {crypto, "EVP_PKEY_free", &ssl.key_free},
        {crypto, "i2d_PUBKEY", &ssl.encode_key},
        {crypto, "X509_new", &ssl.x509_new},
        {crypto, "X509_free", &ssl.x509_free},
        {crypto, "X509_set_version", &ssl.set_version},
        {crypto, "X509_get_serialNumber", &ssl.serial},
        {crypto, "ASN1_INTEGER_set", &ssl.integer_set},
        {crypto, "X509_getm_notBefore", &ssl.not_before},
        {crypto, "X509_getm_notAfter", &ssl.not_after},
        {crypto, "X509_gmtime_adj", &ssl.adjust},
        {crypto, "X509_set_pubkey", &ssl.set_key},
        {crypto, "X509_get_subject_name", &ssl.subject},
        {crypto, "X509_NAME_add_entry_by_txt", &ssl.add_name},
        {crypto, "X509_set_issuer_name", &ssl.set_issuer},
        {crypto, "X509V3_EXT_conf_nid", &ssl.extension},
        {crypto, "X509_EXTENSION_free", &ssl.extension_free},
        {crypto, "X509_add_ext", &ssl.add_extension},
        {crypto, "X509_sign", &ssl.sign},
        {crypto, "EVP_sha256", &ssl.sha256},
        {crypto, "BIO_s_mem", &ssl.memory},
        {crypto, "BIO_new", &ssl.bio_new},
        {crypto, "BIO_free", &ssl.bio_free},
        {crypto, "BIO_read", &ssl.bio_read},
        {crypto, "PEM_write_bio_X509", &ssl.write_pem},
    };
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        void *found = dlsym(wanted[i].library, wanted[i].name);
        if (!found) return;
        *(void **)wanted[i].place = found;
    }
    has_ssl = 1;
}

#define KEY_EC 408
#define NAME_ASCII 0x1001
#define SUBJECT_ALTERNATIVE_NAME 85
#define BASIC_CONSTRAINTS 87

static void *make_key(void) {
    void *key = NULL;
    void *context = ssl.key_ctx_new(KEY_EC, NULL);
    if (!context) return NULL;
    if (ssl.keygen_init(context) <= 0 || ssl.set_group(context, "P-256") <= 0 || ssl.generate(context, &key) <= 0) {
        key = NULL;
    }
    ssl.key_ctx_free(context);
    return key;
}

static int extend(void *certificate, int kind, const char *value) {
    void *extension = ssl.extension(NULL, NULL, kind, value);
    if (!extension) return 0;
    int added = ssl.add_extension(certificate, extension, -1);
    ssl.extension_free(extension);
    return added;
}

static void *make_certificate(void *key) {
    void *certificate = ssl.x509_new();
    if (!certificate) return NULL;
    void *name = ssl.subject(certificate);
    long serial = random() | 1;
    if (ssl.set_version(certificate, 2) && ssl.integer_set(ssl.serial(certificate), serial) &&
        ssl.adjust(ssl.not_before(certificate), -86400) && ssl.adjust(ssl.not_after(certificate), 7 * 86400) &&
        ssl.set_key(certificate, key) &&
        ssl.add_name(name, "CN", NAME_ASCII, (const unsigned char *)"localhost", -1, -1, 0) &&
        ssl.set_issuer(certificate, name) && extend(certificate, BASIC_CONSTRAINTS, "critical,CA:TRUE") &&
        extend(certificate, SUBJECT_ALTERNATIVE_NAME, "DNS:localhost,IP:127.0.0.1,IP:::1") &&
        ssl.sign(certificate, key, ssl.sha256())) {
        return certificate;
    }
    ssl.x509_free(certificate);
    return NULL;
}

static int write_certificate(void *certificate, char *pem, size_t *size) {
    void *memory = ssl.bio_new(ssl.memory());
    if (!memory) return 0;
    int count = ssl.write_pem(memory, certificate) ? ssl.bio_read(memory, pem, (int)*size) : 0;
    ssl.bio_free(memory);
    if (count <= 0 || (size_t)count == *size) return 0;
    *size = (size_t)count;
    return 1;
}

ashlar_tls *ashlar_tls_open(char *pem, size_t *pem_size, uint8_t *key_bytes, size_t *key_size) {
    pthread_once(&once, load);
    if (!has_ssl) return NULL;
    void *context = NULL;
    void *key = make_key();
    void *certificate = key ? make_certificate(key) : NULL;
    int length = key ? ssl.encode_key(key, NULL) : 0;
    if (certificate && length > 0 && (size_t)length <= *key_size && write_certificate(certificate, pem, pem_size)) {
        unsigned char *end = key_bytes;
        *key_size = (size_t)ssl.encode_key(key, &end);
        context = ssl.ctx_new(ssl.server_method());
        if (context && (ssl.use_certificate(context, certificate) != 1 || ssl.use_key(context, key) != 1)) {
            ssl.ctx_free(context);
            context = NULL;
        }
    }
    if (certificate) ssl.x509_free(certificate);
    if (key) ssl.key_free(key);
    return context;
}

void ashlar_tls_close(ashlar_tls *tls) { ssl.ctx_free(tls); }

ashlar_tls_stream *ashlar_tls_accept(ashlar_tls *tls, int descriptor) {
    void *stream = ssl.ssl_new(tls);
    if (!stream) return NULL;
    if (ssl.set_fd(stream, descriptor) == 1 && ssl.accept(stream) == 1) return stream;
    ssl.ssl_free(stream);
    return NULL;
}

int ashlar_tls_read(ashlar_tls_stream *stream, void *bytes, int size) { return ssl.read(stream, bytes, size); }
int ashlar_tls_write(ashlar_tls_stream *stream, const void *bytes, int size) { return ssl.write(stream, bytes, size); }
void ashlar_tls_finish(ashlar_tls_stream *stream) { ssl.shutdown(stream); }
void ashlar_tls_free(ashlar_tls_stream *stream) { ssl.ssl_free(stream); }

#else

ashlar_tls *ashlar_tls_open(char *pem, size_t *pem_size, uint8_t *key, size_t *key_size) {
    (void)pem;
    (void)pem_size;
    (void)key;
    (void)key_size;
    return NULL;
}
void ashlar_tls_close(ashlar_tls *tls) { (void)tls; }
ashlar_tls_stream *ashlar_tls_accept(ashlar_tls *tls, int descriptor) {
    (void)tls;
    (void)descriptor;
    return NULL;
}
int ashlar_tls_read(ashlar_tls_stream *stream, void *bytes, int size) {
    (void)stream;
    (void)bytes;
    (void)size;
    return -1;
}
int ashlar_tls_write(ashlar_tls_stream *stream, const void *bytes, int size) {
    (void)stream;
    (void)bytes;
    (void)size;
    return -1;
}
void ashlar_tls_finish(ashlar_tls_stream *stream) { (void)stream; }
void ashlar_tls_free(ashlar_tls_stream *stream) { (void)stream; }

#endif
