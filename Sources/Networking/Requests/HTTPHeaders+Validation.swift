extension HTTPHeaders {
    /// Checks that every field may be sent.
    ///
    /// A name must be a token (RFC 9110, 5.6.2); a value must have no control character but the tab, no space or
    /// tab at its ends, and no character above U+00FF. `Content-Length`, `Transfer-Encoding` and `Host` are the
    /// client's own and refused.
    ///
    /// - Throws: `.invalidHeader`, with the field's name in `key` and never its value.
    public func validate() throws(NetworkError) {
        for field in fields {
            guard HTTPSyntax.isToken(field.name) else {
                throw invalid(field, "the name is not a token; expected letters, digits and !#$%&'*+-.^_`|~")
            }
            if Self.reserved.contains(where: { $0.equalsIgnoringASCIICase(field.name) }) {
                throw invalid(field, "the field is set by the client itself")
            }
            try check(field)
        }
    }

    private func check(_ field: HTTPField) throws(NetworkError) {
        var value = field.value
        let defect: String? = value.withUTF8 { bytes in
            if let first = bytes.first, let last = bytes.last, first.isHTTPSpace || last.isHTTPSpace {
                return "the value begins or ends with a space"
            }
            for byte in bytes {
                if byte == 0x7F || (byte < 0x20 && byte != 0x09) {
                    return "the value contains the control character 0x" + String(byte, radix: 16)
                }
                if byte > 0xC3 { return "the value contains a character above U+00FF" }
            }
            return nil
        }
        if let defect { throw invalid(field, defect) }
    }

    private func invalid(_ field: HTTPField, _ reason: String) -> NetworkError {
        var error = NetworkError(.invalidHeader, reason, phase: .prepare)
        error.key = HTTPSyntax.printable(field.name)
        return error
    }

    static let reserved = ["Content-Length", "Transfer-Encoding", "Host"]
}
