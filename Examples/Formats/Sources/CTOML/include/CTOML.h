// The events of a TOML file, read by toml++ (github.com/marzer/tomlplusplus), which is a C++ header.
#ifndef CTOML_H
#define CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ctoml_kind { CTOML_TABLE, CTOML_ARRAY, CTOML_END, CTOML_STRING, CTOML_INTEGER, CTOML_NUMBER, CTOML_BOOLEAN };

/// A value, or the start or the end of a table or an array; valid during the call.
struct ctoml_event {
    enum ctoml_kind kind;
    /// The key in the table around it; NULL for an element of an array.
    const char *key;
    size_t key_length;
    /// A string, or a date or time in the form of TOML.
    const char *text;
    size_t text_length;
    int64_t integer;
    double number;
    uint32_t line;
    uint32_t column;
};

struct ctoml_error {
    char reason[256];
    uint32_t line;
    uint32_t column;
};

/// Reads a file; the handler returns false to stop. Returns false, with an error, for malformed text.
bool ctoml_read(
    const char *bytes, size_t length, void *context, bool (*handler)(void *context, const struct ctoml_event *event),
    struct ctoml_error *error);

#ifdef __cplusplus
}
#endif

#endif
