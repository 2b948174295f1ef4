#include "CTOML.h"

#include <cstring>
#include <sstream>
#include <string>
#include <string_view>
#include <toml++/toml.h>

namespace {

struct Walk {
    void *context;
    bool (*handler)(void *, const ctoml_event *);

    bool send(ctoml_event event, const toml::node &node, const std::string_view *key) const {
        if (key) {
            event.key = key->data();
            event.key_length = key->size();
        }
        event.line = node.source().begin.line;
        event.column = node.source().begin.column;
        return handler(context, &event);
    }

    // toml++ limits the depth of values, so the recursion ends.
    bool visit(const toml::node &node, const std::string_view *key) const {
        ctoml_event event = {};
        if (const auto *table = node.as_table()) {
            event.kind = CTOML_TABLE;
            if (!send(event, node, key)) return false;
            for (const auto &[name, value] : *table) {
                const std::string_view text = name.str();
                if (!visit(value, &text)) return false;
            }
            event.kind = CTOML_END;
            return send(event, node, nullptr);
        }
        if (const auto *array = node.as_array()) {
            event.kind = CTOML_ARRAY;
            if (!send(event, node, key)) return false;
            for (const auto &value : *array) {
                if (!visit(value, nullptr)) return false;
            }
            event.kind = CTOML_END;
            return send(event, node, nullptr);
        }
        std::string text;
        if (const auto *value = node.as_string()) {
            event.kind = CTOML_STRING;
            text = value->get();
        } else if (const auto *value = node.as_integer()) {
            event.kind = CTOML_INTEGER;
            event.integer = value->get();
        } else if (const auto *value = node.as_floating_point()) {
            event.kind = CTOML_NUMBER;
            event.number = value->get();
        } else if (const auto *value = node.as_boolean()) {
            event.kind = CTOML_BOOLEAN;
            event.integer = value->get() ? 1 : 0;
        } else {
            event.kind = CTOML_STRING;
            std::ostringstream stream;
            if (const auto *value = node.as_date()) stream << value->get();
            if (const auto *value = node.as_time()) stream << value->get();
            if (const auto *value = node.as_date_time()) stream << value->get();
            text = stream.str();
        }
        event.text = text.data();
        event.text_length = text.size();
        return send(event, node, key);
    }
};

}  // namespace

bool ctoml_read(
    const char *bytes, size_t length, void *context, bool (*handler)(void *, const ctoml_event *),
    ctoml_error *error) {
    try {
        const toml::table table = toml::parse(std::string_view(bytes, length));
        return Walk{context, handler}.visit(table, nullptr);
    } catch (const toml::parse_error &failure) {
        const std::string_view reason = failure.description();
        const size_t count = reason.size() < sizeof(error->reason) - 1 ? reason.size() : sizeof(error->reason) - 1;
        std::memcpy(error->reason, reason.data(), count);
        error->reason[count] = 0;
        error->line = failure.source().begin.line;
        error->column = failure.source().begin.column;
        return false;
    }
}
