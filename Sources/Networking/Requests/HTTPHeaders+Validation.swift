extension HTTPHeaders {
    /// Checks that every field can be sent.
    ///
    /// A name must be a token (RFC 9110, 5.6.2). A value must not contain control characters except tabs, spaces or
    /// tabs at its ends, or characters above U+00FF. The client sets `Content-Length`, `Transfer-Encoding` and `Host`
    /// itself.
    ///
    /// - Throws: `.invalidHeader` with the field's name in `key`; the error never contains the value.
    public func validate() throws(NetworkError) {
        let fields = fields
        for index in fields.indices where !fields[index].isChecked { try fields[index].validate() }
    }

    /// Returns the fields; valid ones are marked.
    func checked() -> HTTPHeaders { HTTPHeaders(fields.map { $0.checked() }) }

    static let reserved = ["Content-Length", "Transfer-Encoding", "Host"]
}

extension HTTPField {
    /// Returns the field, marked if it is valid.
    func checked() -> HTTPField {
        var field = self
        field.isChecked = (try? validate()) != nil
        return field
    }

    fileprivate func validate() throws(NetworkError) {
        guard HTTPSyntax.isToken(name) else {
            throw invalid("the name isn't a token; expected letters, digits and !#$%&'*+-.^_`|~")
        }
        if HTTPHeaders.reserved.contains(where: { $0.equalsIgnoringASCIICase(name) }) {
            throw invalid("the client sets this field")
        }
        var value = value
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
        if let defect { throw invalid(defect) }
    }

    private func invalid(_ reason: String) -> NetworkError {
        var error = NetworkError(.invalidHeader, reason, phase: .prepare)
        error.key = HTTPSyntax.printable(name)
        return error
    }
}
