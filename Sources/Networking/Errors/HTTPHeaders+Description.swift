extension HTTPHeaders: CustomStringConvertible {
    /// The fields, one per line; sensitive values and values hidden by the standard redaction are replaced.
    public var description: String {
        NetworkRedaction.standard.redact(self).fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}
