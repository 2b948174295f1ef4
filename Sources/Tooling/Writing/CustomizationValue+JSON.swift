import AshlarCore
import AshlarCustomization

extension CustomizationValue {
    /// Returns the value as JSON with sorted keys; colors, data and aliases become strings.
    ///
    /// - Parameter indent: The indentation of the line that contains the value, for Xcode's layout; nil for one line.
    /// - Returns: The JSON.
    func json(indent: String? = nil) -> String {
        switch self {
        case .int(let number): return String(number)
        case .double(let number) where number.isFinite: return String(number)
        case .bool(let flag): return String(flag)
        case .list(let items): return "[" + items.map { $0.json() }.joined(separator: ", ") + "]"
        case .message(let message): return message.stringsDict.json(indent: indent)
        case .alias(let key): return JSONText.quoted("$" + key)
        case .dict(let members):
            let members = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            guard let indent else {
                return "{" + members.map { "\(JSONText.quoted($0)): \($1.json())" }.joined(separator: ", ") + "}"
            }
            let inner = indent + "  "
            let lines = members.map { "\(inner)\(JSONText.quoted($0)) : \($1.json(indent: inner))" }
            return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
        default: return JSONText.quoted(text ?? "")
        }
    }
}
