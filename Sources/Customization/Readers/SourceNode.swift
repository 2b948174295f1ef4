/// A value of a property list or JSON file, with its location in the file's text.
struct SourceNode: Sendable {
    /// A key of a dictionary and its value.
    struct Member: Sendable {
        var key: String
        var offset: Int
        var value: SourceNode
    }

    enum Kind: Sendable {
        case string(String)
        case int(Int64)
        case double(Double)
        case bool(Bool)
        case data([UInt8])
        /// A date in ISO 8601.
        case date(String)
        case null
        case list([SourceNode])
        /// The members in the order of the file, including duplicates.
        case dict([Member])
    }

    /// The start of the value in the file's decoded text.
    var offset: Int
    var kind: Kind

    /// Returns the value without its location; a date becomes a string, and a null an empty string.
    func value() -> CustomizationValue {
        switch kind {
        case .string(let text): .string(text)
        case .int(let number): .int(number)
        case .double(let number): .double(number)
        case .bool(let flag): .bool(flag)
        case .data(let bytes): .data(bytes)
        case .date(let text): .string(text)
        case .null: .string("")
        case .list(let items): .list(items.map { $0.value() })
        case .dict(let members):
            .dict(Dictionary(members.map { ($0.key, $0.value.value()) }, uniquingKeysWith: { $1 }))
        }
    }

    /// The last member with a name; nil if the value isn't a dictionary or has no such member.
    subscript(key: String) -> SourceNode? {
        guard case .dict(let members) = kind else { return nil }
        return members.last { $0.key == key }?.value
    }

    /// The string; nil for another type.
    var text: String? {
        if case .string(let text) = kind { return text }
        return nil
    }

    /// The members; nil if the value isn't a dictionary.
    var members: [Member]? {
        if case .dict(let members) = kind { return members }
        return nil
    }

    /// The elements; nil if the value isn't a list.
    var items: [SourceNode]? {
        if case .list(let items) = kind { return items }
        return nil
    }

    /// The number; nil for another type.
    var number: Double? {
        switch kind {
        case .int(let number): Double(number)
        case .double(let number): number
        default: nil
        }
    }

    /// Calls `body` for each member that is replaced by a later member with the same name, at any depth.
    func forEachRepeat(_ body: (_ earlier: Member, _ later: Member) -> Void) {
        switch kind {
        case .list(let items): for item in items { item.forEachRepeat(body) }
        case .dict(let members):
            var seen: [String: Member] = [:]
            for member in members {
                if let earlier = seen.updateValue(member, forKey: member.key) { body(earlier, member) }
                member.value.forEachRepeat(body)
            }
        default: break
        }
    }
}
