internal import AshlarBase

/// Hides secrets in messages and fields, for every format and sink.
///
/// The names and the search in texts are those of the other modules.
enum LogSecrets {
    private struct State {
        var names = SecretNames.standard
        /// How the list of names knows the keys of fields.
        ///
        /// Programs have few keys; beyond the limit, all are removed.
        var known: [String: SecretNames.Match?] = [:]
    }

    private static let state = Guarded(State())
    private static let mostKnown = 4096
    private static let placeholder = LogFieldValue.string(SecretNames.placeholder)

    /// Adds names of secrets to the standard ones, for the rest of the process.
    static func addNames(_ words: Set<String>) {
        guard !words.isEmpty else { return }
        state.withLock { $0 = State(names: SecretNames(additionalWords: words.union($0.names.additionalWords))) }
    }

    // MARK: Fields

    /// Returns a value without secrets, unless it is marked public.
    ///
    /// The value of a secret name is hidden, except Booleans, nil, and numbers of things, such as `tokens`.
    static func value(of value: any LogFieldConvertible, for key: String) -> LogFieldValue {
        value is LogPublicField ? value.logFieldValue : redacted(value.logFieldValue, for: key)
    }

    private static func redacted(_ field: LogFieldValue, for key: String) -> LogFieldValue {
        if LogPrivacy.revealsPrivateValues { return field }
        guard let name = match(key) else { return redacted(field) }
        switch field {
        case .boolean, .none: return field
        case .integer, .unsigned, .float: return name.isPlural ? field : placeholder
        // Other logging libraries pass all values as texts.
        case .string(let text) where ["", "nil", "null", "true", "false"].contains(text.lowercased()): return field
        case .string(let text) where name.isPlural && text.utf8.allSatisfy(\.isDigit): return field
        default: return placeholder
        }
    }

    private static func match(_ key: String) -> SecretNames.Match? {
        let (known, names) = state.withLock { ($0.known[key], $0.names) }
        if let known { return known }
        let match = names.match(SecretNames.words(of: key))
        state.withLock {
            if $0.known.count >= mostKnown { $0.known.removeAll() }
            if $0.names == names { $0.known[key] = .some(match) }
        }
        return match
    }

    /// Returns fields without secrets, as the names are now; also those that were marked public.
    static func redacted(_ fields: LogFields) -> LogFields {
        LogFields(fields.list.map { LogFields.Element($0.key, redactedAgain($0.value)) })
    }

    private static func redactedAgain(_ value: LogFieldValue) -> LogFieldValue {
        switch value {
        case .array(let values): .array(values.map(redactedAgain))
        case .object(let fields): .object(redacted(fields))
        default: value
        }
    }

    /// Returns a value without secrets in its texts; the pairs of objects were redacted when they were added.
    private static func redacted(_ field: LogFieldValue) -> LogFieldValue {
        switch field {
        case .string(let text): redacted(text).map { .string($0) } ?? field
        case .array(let values): .array(values.map(redacted))
        default: field
        }
    }

    // MARK: Text

    /// Returns the text without secrets, or nil if it has none.
    static func redacted(_ before: String) -> String? {
        let mayHaveSecret = before.withBytes { SecretText.mayHaveSecret($0) }
        guard mayHaveSecret, !LogPrivacy.revealsPrivateValues else { return nil }
        let after = SecretText.redacted(before, names: state.withLock { $0.names })
        return after == before ? nil : after
    }
}
