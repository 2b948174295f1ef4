internal import AshlarCore

extension NetworkRequest {
    /// Returns the request as a `curl` command for a POSIX shell, with its secrets hidden.
    ///
    /// Every argument is quoted, so the shell interprets nothing in it. A body in memory is printed, with its form fields
    /// and JSON members redacted; `printf` passes it if it is long, or up to 16 KiB that aren't text. Files are printed as
    /// `@path`, forms part by part, and other bodies as a comment.
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
        let (data, input) = dataOptions(redaction)
        var first = input.map { $0 + " | curl" } ?? "curl"
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
        options += data
        return ([first] + options).joined(separator: " \\\n  ")
    }

    /// Whether curl builds the body itself, with the boundary and content type.
    private var isMultipart: Bool { if case .multipart = body.content { true } else { false } }

    /// Returns the options for the body, and the command that writes it if it can't be an argument.
    private func dataOptions(_ redaction: NetworkRedaction) -> (options: [String], input: String?) {
        switch body.content {
        case .empty: return ([], nil)
        case .file(let path): return (["--data-binary " + Self.quoted("@" + path)], nil)
        case .multipart(let form): return (form.parts.map { Self.formOption($0, redaction) }, nil)
        case .stream: return (["--data-binary " + Self.quoted("<a streamed body>")], nil)
        case .failed: return (["--data-binary " + Self.quoted("<a body that can't be built>")], nil)
        case .bytes(let bytes):
            let shown = redaction.redact(body: bytes, type: headers["Content-Type"] ?? body.contentType)
            if let text = String(validating: shown, as: UTF8.self), !shown.contains(0) {
                // Linux limits an argument to 128 KiB.
                if shown.count < 100_000 { return (["--data-raw " + Self.quoted(text)], nil) }
                return (["--data-binary @-"], "printf %s " + Self.quoted(text))
            }
            if shown.count <= 16 << 10 { return (["--data-binary @-"], "printf '\(Self.escaped(shown))'") }
            return (["--data-binary " + Self.quoted("<\(bytes.count) bytes of binary data>")], nil)
        }
    }

    /// Returns a part of a form: files as `@path`, fields as text, other bytes as a comment.
    private static func formOption(_ part: MultipartForm.Part, _ redaction: NetworkRedaction) -> String {
        switch part.content {
        case .file(let path):
            func value(_ text: String) -> String {
                "\"" + text.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "\""
            }
            var text = part.name + "=@" + value(path)
            if let filename = part.filename { text += ";filename=" + value(filename) }
            if let type = part.contentType { text += ";type=" + type }
            return "-F " + quoted(text)
        case .bytes(let bytes):
            let isField = part.filename == nil && part.contentType == nil && !bytes.contains(0)
            let text = isField ? String(validating: bytes, as: UTF8.self) : nil
            let shown = redaction.hides(parameter: part.name) ? redaction.placeholder : text ?? "<\(bytes.count) bytes>"
            return "--form-string " + quoted(part.name + "=" + shown)
        }
    }

    /// Returns a field as one word; bytes that aren't UTF-8 are printed by `printf`.
    private static func quoted(_ field: HTTPField) -> String {
        if field.value.isEmpty { return quoted(field.name + ";") }
        let bytes = Array("\(field.name): ".utf8) + field.valueBytes
        if let text = String(validating: bytes, as: UTF8.self) { return quoted(text) }
        return "\"$(printf '\(escaped(bytes))')\""
    }

    /// Returns bytes in the notation of `printf`.
    private static func escaped(_ bytes: [UInt8]) -> String {
        let escaped = bytes.map { byte in
            // A hyphen could begin an option.
            PercentCoding.isUnreserved(byte) && byte != UInt8(ascii: "-") || byte == 0x20 || byte == 0x3A
                ? String(UnicodeScalar(byte))
                : "\\" + String(byte >> 6 & 7) + String(byte >> 3 & 7) + String(byte & 7)
        }
        return escaped.joined()
    }

    /// Returns the text as one word of a POSIX shell, in single quotes if necessary.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { PercentCoding.isUnreserved($0) || $0 == 0x2F || $0 == 0x3A }
        if isPlain, !text.isEmpty, !text.hasPrefix("~") { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

extension NetworkRedaction {
    /// Whether a `Content-Type` is that of JSON.
    package static func isJSON(_ type: String?) -> Bool {
        let type = (type ?? "").prefix { $0 != ";" }.lowercased()
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
