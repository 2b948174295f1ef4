internal import AshlarCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ConfigTreeBuilder {
    /// Adds a value and its descendants with sorted keys, without recursion.
    ///
    /// With `dropsNulls`, `null` entries of dictionaries are omitted, for trees that aren't merged.
    mutating func value(_ value: ConfigValue, position: UInt32 = 0, dropsNulls: Bool = false) {
        // The values to add, the next one last; nil closes a container.
        var pending: [(key: String?, value: ConfigValue?)] = [(nil, value)]
        while let (key, value) = pending.popLast() {
            guard let value else {
                close()
                continue
            }
            if let key { self.key(String(decoding: key.utf8.prefix(65535), as: UTF8.self)) }
            add(value, position)
            switch value {
            case .array(let elements): pending += [(nil, nil)] + elements.reversed().map { (nil, $0) }
            case .dictionary(let entries):
                let sorted = entries.filter { !dropsNulls || $0.value != .null }.sorted { $0.key > $1.key }
                pending += [(nil, nil)] + sorted.map { ($0.key, $0.value) }
            default: break
            }
        }
    }

    /// Adds a scalar, or opens a container.
    private mutating func add(_ value: ConfigValue, _ position: UInt32) {
        switch value {
        case .null: null(position: position)
        case .boolean(let value): append(.boolean, value ? 1 : 0, position: position)
        case .integer(let value): append(.integer, UInt64(bitPattern: value), position: position)
        case .unsigned(let value): append(value > UInt64(Int64.max) ? .unsigned : .integer, value, position: position)
        case .real(let value): append(.real, value.bitPattern, position: position)
        case .string(let value): string(value, position: position)
        case .date(let value): append(.date, value.timeIntervalSinceReferenceDate.bitPattern, position: position)
        case .data(let value): data([UInt8](value), position: position)
        case .array: open(.array, position: position)
        case .dictionary: open(.dictionary, position: position)
        }
    }
}

extension ConfigTree {
    /// Returns the value of a node with its descendants, with `<redacted>` for secret values and for credentials in URLs
    /// if `isSecret` is given.
    ///
    /// - Complexity: O(*n*) in the number of values below the node.
    func value(of root: Int, hiding isSecret: [Bool]? = nil) -> ConfigValue {
        // From the last node to the first, so that values exist before their containers, without recursion.
        var values = [ConfigValue?](repeating: nil, count: max(1, Int(nodes[root].end) - root))
        for node in (root..<root + values.count).reversed() {
            if isSecret?[node] == true {
                values[node - root] = .string(ConfigDescription.redacted)
            } else if let scalar = scalar(of: node) {
                if case .string(let text) = scalar, isSecret != nil {
                    values[node - root] = .string(SecretText.redacted(text))
                } else {
                    values[node - root] = scalar
                }
            } else if nodes[node].kind == .array {
                values[node - root] = .array(children(of: node).compactMap { values[$0 - root].take() })
            } else {
                var entries: [String: ConfigValue] = [:]
                for child in children(of: node) { entries[key(of: child)] = values[child - root].take() }
                values[node - root] = .dictionary(entries)
            }
        }
        return values[0] ?? .null
    }

    /// Returns the value of a node, unless it is a container.
    func scalar(of number: Int) -> ConfigValue? {
        let node = nodes[number]
        switch node.kind {
        case .null: return .null
        case .boolean: return .boolean(node.payload != 0)
        case .integer: return .integer(Int64(bitPattern: node.payload))
        case .unsigned: return .unsigned(node.payload)
        case .real: return .real(Double(bitPattern: node.payload))
        case .string: return .string(strings[Int(node.payload)])
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: node.payload)))
        case .data: return .data(Data(blobs[Int(node.payload)]))
        case .array, .dictionary: return nil
        }
    }
}
