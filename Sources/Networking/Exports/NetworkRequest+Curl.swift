extension NetworkRequest {
    /// The request as a `curl` command for a POSIX shell, with its secrets hidden.
    ///
    /// Every argument is quoted so that the shell cannot see anything in it. A body in memory is printed as it is if it
    /// is text, form fields redacted like a query and JSON members like them; files are printed as `@path`, other bodies
    /// as a remark.
    ///
    /// ```swift
    /// var request = NetworkRequest(.post, try HTTPURL("https://api.example.com/notes?token=abc"))
    /// request.headers = ["Authorization": "Bearer 123", "Accept": "*/*"]
    /// assert(request.curl() == """
    ///     curl -X POST 'https://api.example.com/notes?token=<hidden>' \\
    ///       -H 'Authorization: <hidden>' \\
    ///       -H 'Accept: */*'
    ///     """)
    /// ```
    ///
    /// - Parameter redaction: What to hide.
    /// - Returns: The command, one option per line.
    public func curl(redacting redaction: NetworkRedaction = .standard) -> String {
        var options: [String] = []
        var first = "curl"
        if method == .head, body.isEmpty {
            first += " -I"
        } else if method != .get || !body.isEmpty {
            first += " -X " + Self.quoted(method.rawValue)
        }
        first += " " + Self.quoted(redaction.redact(url))
        for field in redaction.redact(headers) {
            options.append(
                "-H " + Self.quoted(field.value.isEmpty ? field.name + ";" : "\(field.name): \(field.value)"))
        }
        if !headers.contains("Content-Type"), !body.isEmpty {
            // Without a type curl would send that of a form.
            options.append("-H " + Self.quoted("Content-Type:" + (body.contentType.map { " " + $0 } ?? "")))
        }
        if let data = dataOption(redaction) { options.append(data) }
        return ([first] + options).joined(separator: " \\\n  ")
    }

    private func dataOption(_ redaction: NetworkRedaction) -> String? {
        switch body.content {
        case .empty: return nil
        case .file(let path): return "--data-binary " + Self.quoted("@" + path)
        case .stream: return "--data-binary " + Self.quoted("<a streamed body>")
        case .failed: return "--data-binary " + Self.quoted("<a body that cannot be built>")
        case .bytes(let bytes):
            let shown = HARRedaction(redaction).redact(body: bytes, type: headers["Content-Type"] ?? body.contentType)
            guard let text = String(validating: shown, as: UTF8.self), !shown.contains(0) else {
                return "--data-binary " + Self.quoted("<\(bytes.count) bytes that are no text>")
            }
            return "--data-raw " + Self.quoted(text)
        }
    }

    /// The text as one word of a POSIX shell: in single quotes, unless it holds nothing that needs them.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || $0 == 0x2F || $0 == 0x3A }
        if isPlain, !text.isEmpty, !text.hasPrefix("~") { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
