internal import AshlarBase

/// Hides secrets in messages and fields, for every format and sink.
///
/// The vocabulary and the redaction are those of the other modules.
enum LogSecrets {
    private struct State {
        var names = SecretNames.standard
        /// The keys that have been classified.
        ///
        /// Programs have few keys; beyond the limit, all are removed.
        var known: [String: Bool] = [:]
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
    static func value(of value: any LogFieldConvertible, for key: String) -> LogFieldValue {
        let field = value.logFieldValue
        if value is LogPublicField || LogPrivacy.revealsPrivateValues { return field }
        switch field {
        case .boolean, .none: return field
        default: return isSecret(key) ? placeholder : redacted(field)
        }
    }

    private static func isSecret(_ key: String) -> Bool {
        let (known, names) = state.withLock { ($0.known[key], $0.names) }
        if let known { return known }
        let isSecret = names.matches(key)
        state.withLock {
            if $0.known.count >= mostKnown { $0.known.removeAll() }
            if $0.names == names { $0.known[key] = isSecret }
        }
        return isSecret
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
        guard !LogPrivacy.revealsPrivateValues, before.withBytes(mayHaveSecret) else { return nil }
        let after = SecretText.redacted(before, names: state.withLock { $0.names })
        return after == before ? nil : after
    }

    /// Whether the text has any of the bytes with which each kind of secret of ``SecretText`` begins.
    ///
    /// Most messages have none. In the benchmark row "line to a file", the search of the whole vocabulary would take longer
    /// than the write.
    static func mayHaveSecret(_ text: TextBytes) -> Bool {
        func next(_ index: Int) -> UInt8 { index < text.count ? text[index] : 0 }
        for index in 0..<text.count {
            switch text[index] {
            case UInt8(ascii: "="), UInt8(ascii: ":"): return true
            // A private key, a token, and a scheme.
            case UInt8(ascii: "-"): if next(index + 1) == UInt8(ascii: "-") { return true }
            case UInt8(ascii: "e"):
                if next(index + 1) == UInt8(ascii: "y"), next(index + 2) == UInt8(ascii: "J") { return true }
            case UInt8(ascii: "B"), UInt8(ascii: "b"):
                let second = next(index + 1) | 0x20
                if second == UInt8(ascii: "a") || second == UInt8(ascii: "e"), next(index + 2) != 0 { return true }
            default: break
            }
        }
        return false
    }
}
