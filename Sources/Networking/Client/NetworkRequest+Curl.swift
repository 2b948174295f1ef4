internal import AshlarCore

extension NetworkRequest {
    /// Returns the request as a `curl` command for a POSIX shell, with its secrets hidden.
    ///
    /// Every argument is quoted, so the shell interprets nothing in it. A body of text in memory is printed, with its form
    /// fields and JSON members redacted. Files are printed as `@path`, forms part by part, and other bodies and fields that
    /// aren't text as a comment.
    ///
    /// ```swift
    /// var request = NetworkRequest(.post, try HTTPURL("https://api.example.com/notes?token=abc"))
    /// request.headers = ["Authorization": "Bearer 123", "Accept": "*/*"]
    /// assert(request.curl() == """
    ///     curl -X POST 'https://api.example.com/notes?token=<redacted>' \\
    ///       -H 'Authorization: <redacted>' \\
    ///       -H 'Accept: */*'
    ///     """)
    /// ```
    ///
    /// - Parameter redaction: The rule for hiding secrets.
    /// - Returns: The command, one option per line.
    public func curl(redacting redaction: NetworkRedaction = .standard) -> String {
        var options: [String] = []
        var first = "curl"
        if method == .head, body.isEmpty {
            first += " -I"
        } else if method != .get || !body.isEmpty {
            first += " -X " + Self.quoted(method.rawValue)
        }
        // Otherwise curl would remove the dots.
        let segments = url.path.split(separator: "/")
        if segments.contains(".") || segments.contains("..") { first += " --path-as-is" }
        first += " " + Self.quoted(redaction.redact(url))
        for field in redaction.redact(headers) {
            options.append("-H " + Self.quoted(field))
        }
        if !headers.contains("Content-Type"), !body.isEmpty, !isMultipart {
            // Without Content-Type, curl would send a form's type.
            options.append("-H " + Self.quoted("Content-Type:" + (body.contentType.map { " " + $0 } ?? "")))
        }
        options += dataOptions(redaction)
        return ([first] + options).joined(separator: " \\\n  ")
    }

    /// Whether curl builds the body itself, with the boundary and content type.
    private var isMultipart: Bool { if case .multipart = body.content { true } else { false } }

    private func dataOptions(_ redaction: NetworkRedaction) -> [String] {
        func binary(_ text: String) -> [String] { ["--data-binary " + Self.quoted(text)] }
        switch body.content {
        case .empty: return []
        case .file(let path): return binary("@" + path)
        case .multipart(let form): return form.parts.map { Self.formOption($0, redaction) }
        case .stream: return binary("<a streamed body>")
        case .failed: return binary("<a body that can't be built>")
        case .bytes(let bytes):
            let shown = redaction.redact(body: bytes, type: headers["Content-Type"] ?? body.contentType)
            guard let text = Self.text(shown) else { return binary("<\(bytes.count) bytes of binary data>") }
            return ["--data-raw " + Self.quoted(text)]
        }
    }

    /// Returns bytes as a text that can be an argument, or nil.
    private static func text(_ bytes: [UInt8]) -> String? {
        bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// Returns a part of a form: files as `@path`, fields as text, other bytes as a comment.
    private static func formOption(_ part: MultipartForm.Part, _ redaction: NetworkRedaction) -> String {
        switch part.content {
        case .file(let path):
            func value(_ text: String) -> String {
                "\"" + text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
            }
            var text = part.name + "=@" + value(path)
            if let filename = part.filename { text += ";filename=" + value(filename) }
            if let type = part.contentType { text += ";type=" + type }
            return "-F " + quoted(text)
        case .bytes(let bytes):
            let text = part.filename == nil && part.contentType == nil ? text(bytes) : nil
            let shown = redaction.hides(parameter: part.name) ? redaction.placeholder : text ?? "<\(bytes.count) bytes>"
            return "--form-string " + quoted(part.name + "=" + shown)
        }
    }

    private static func quoted(_ field: HTTPField) -> String {
        if field.value.isEmpty { return quoted(field.name + ";") }
        let bytes = field.valueBytes
        return quoted("\(field.name): \(text(bytes) ?? "<\(bytes.count) bytes of binary data>")")
    }

    /// Returns the text as one word of a POSIX shell, in single quotes if necessary.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { PercentCoding.isUnreserved($0) || $0 == 0x2F || $0 == 0x3A }
        if isPlain, !text.isEmpty, !text.hasPrefix("~") { return text }
        // By bytes: a quote and a combining mark are one character.
        let parts = text.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        return "'" + parts.map { String(Substring($0)) }.joined(separator: "'\\''") + "'"
    }
}

extension NetworkRedaction {
    /// Whether a `Content-Type` is that of JSON.
    package static func isJSON(_ type: String?) -> Bool {
        let type = (type ?? "").prefix { $0 != ";" }.trimmingHTTPSpace().lowercased()
        return type.hasSuffix("/json") || type.hasSuffix("+json")
    }

    /// Returns a body with the values of secret form fields and JSON members replaced; other bodies are unchanged.
    package func redact(body: [UInt8], type: String?) -> [UInt8] {
        guard !body.isEmpty else { return body }
        if Self.isJSON(type) {
            guard let json = try? JSONEntity(parsing: body), holdsSecret(json) else { return body }
            return redact(json).bytes()
        }
        if (type ?? "").lowercased().hasPrefix("application/x-www-form-urlencoded") {
            return Array(redact(query: String(decoding: body, as: UTF8.self)).utf8)
        }
        return body
    }

    private func holdsSecret(_ json: JSONEntity) -> Bool {
        json.contains { json.isObject && hides(parameter: $0.key) || holdsSecret($0) }
    }

    private func redact(_ json: JSONEntity) -> JSONEntity {
        if json.isArray { return JSONEntity(array: json.map(redact)) }
        guard json.isObject else { return json }
        return JSONEntity(
            object: json.map { member in
                let isSecret = hides(parameter: member.key) && !member.isNull
                return (member.key, isSecret ? JSONEntity(placeholder) : redact(member))
            })
    }
}
