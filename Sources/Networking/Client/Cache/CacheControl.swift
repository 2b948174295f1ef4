internal import AshlarCore

/// The directives of `Cache-Control` (RFC 9111, section 5.2, and RFC 5861).
struct CacheControl: Hashable, Sendable {
    /// The directives in lowercase with their arguments, which are empty if there are none.
    private var directives: [String: [String]] = [:]

    /// Reads the directives of all fields; malformed parts are skipped.
    ///
    /// - Complexity: O(*n*) in the length of the fields.
    init(_ headers: HTTPHeaders, isRequest: Bool = false) {
        for value in headers.values(for: "Cache-Control") {
            var reader = FieldReader(Array(value.utf8))
            while reader.skipToElement() {
                let name = String(decoding: reader.token(), as: UTF8.self).lowercased()
                let argument = reader.skip("=") ? reader.value() ?? [] : []
                if !name.isEmpty { directives[name, default: []].append(String(decoding: argument, as: UTF8.self)) }
                reader.skipElement()
            }
        }
        if isRequest, directives.isEmpty, headers.list(for: "Pragma").contains(where: { $0.lowercased() == "no-cache" })
        {
            directives["no-cache"] = [""]
        }
    }

    /// Whether there is a directive, with or without an argument.
    func contains(_ name: String) -> Bool { directives[name] != nil }

    /// Whether there is a directive without an argument, which applies to the whole response.
    func containsUnqualified(_ name: String) -> Bool { directives[name]?.contains("") == true }

    /// Returns the lowercase names of the fields that a directive such as `no-cache="Set-Cookie"` lists.
    func fields(of name: String) -> [String] {
        (directives[name] ?? []).flatMap { $0.split(separator: ",") }.map { $0.trimmingHTTPSpace().lowercased() }
    }

    /// Returns the seconds of a directive; nil if it is missing, 0 if it is malformed or repeated with different values.
    func seconds(_ name: String) -> Int64? {
        guard let values = directives[name] else { return nil }
        let numbers = Set(values.map(Self.deltaSeconds))
        return numbers.count == 1 ? numbers.first ?? 0 : 0
    }

    /// Reads a number of seconds; one that is too large means 2^31, and anything else 0 (RFC 9111, section 1.2.2).
    static func deltaSeconds(_ text: String) -> Int64 {
        guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return 0 }
        return min(Int64(text) ?? .max, 1 << 31)
    }
}
