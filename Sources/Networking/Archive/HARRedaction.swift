/// Replaces secrets in recorded and compared requests.
struct HARRedaction: Sendable {
    let redaction: NetworkRedaction

    init(_ redaction: NetworkRedaction) { self.redaction = redaction }

    static func isJSON(_ type: String?) -> Bool {
        let type = (type ?? "").prefix { $0 != ";" }.lowercased()
        return type.hasSuffix("/json") || type.hasSuffix("+json")
    }

    /// Returns fields with their secrets replaced.
    func redact(_ headers: HTTPHeaders) -> HTTPHeaders { redaction.redact(headers) }

    /// Returns a body with the values of secret form fields and JSON members replaced; other bodies are unchanged.
    func redact(body: [UInt8], type: String?) -> [UInt8] {
        guard !body.isEmpty else { return body }
        if Self.isJSON(type) {
            guard let json = try? JSONEntity(parsing: body), holdsSecret(json) else { return body }
            return redact(json).bytes()
        }
        if (type ?? "").lowercased().hasPrefix("application/x-www-form-urlencoded") {
            return Array(redaction.redact(query: String(decoding: body, as: UTF8.self)).utf8)
        }
        return body
    }

    private func holdsSecret(_ json: JSONEntity) -> Bool {
        json.contains { json.isObject && redaction.hides(parameter: $0.key) || holdsSecret($0) }
    }

    private func redact(_ json: JSONEntity) -> JSONEntity {
        if json.isArray { return JSONEntity(array: json.map(redact)) }
        guard json.isObject else { return json }
        return JSONEntity(
            object: json.map { member in
                let isSecret = redaction.hides(parameter: member.key) && !member.isNull
                return (member.key, isSecret ? JSONEntity(redaction.placeholder) : redact(member))
            })
    }
}
