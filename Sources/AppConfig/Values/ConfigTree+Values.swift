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
        struct Frame {
            var keys: [String]
            var values: [ConfigValue]
            var next = 0
        }
        var frames: [Frame] = []
        func frame(for value: ConfigValue) -> Frame? {
            switch value {
            case .dictionary(let entries):
                let sorted = entries.filter { !dropsNulls || $0.value != .null }.sorted { $0.key < $1.key }
                return Frame(keys: sorted.map(\.key), values: sorted.map(\.value))
            case .array(let elements): return Frame(keys: [], values: elements)
            default: return nil
            }
        }
        add(value, position)
        if let first = frame(for: value) { frames.append(first) }
        while let top = frames.last {
            guard top.next < top.values.count else {
                close()
                frames.removeLast()
                continue
            }
            let child = top.values[top.next]
            if !top.keys.isEmpty { key(String(decoding: top.keys[top.next].utf8.prefix(65535), as: UTF8.self)) }
            frames[frames.count - 1].next += 1
            add(child, position)
            if let next = frame(for: child) { frames.append(next) }
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
    /// Returns the value of a node with its descendants.
    ///
    /// - Complexity: O(*n*) in the number of values below the node.
    func value(of node: Int) -> ConfigValue {
        if let scalar = scalar(of: node) { return scalar }
        // Containers are built bottom-up from an explicit stack, so that the depth doesn't use the call stack.
        struct Frame {
            let node: Int
            var children: Children
            var elements: [ConfigValue] = []
            var entries: [String: ConfigValue] = [:]
            var pendingKey = ""
        }
        func frame(_ node: Int) -> Frame { Frame(node: node, children: children(of: node)) }
        var frames = [frame(node)]
        while true {
            let top = frames.count - 1
            let isArray = nodes[frames[top].node].kind == .array
            if let child = frames[top].children.next() {
                if !isArray { frames[top].pendingKey = key(of: child) }
                guard let scalar = scalar(of: child) else {
                    frames.append(frame(child))
                    continue
                }
                if isArray {
                    frames[top].elements.append(scalar)
                } else {
                    frames[top].entries[frames[top].pendingKey] = scalar
                }
                continue
            }
            let made: ConfigValue = isArray ? .array(frames[top].elements) : .dictionary(frames[top].entries)
            frames.removeLast()
            guard let parent = frames.indices.last else { return made }
            if nodes[frames[parent].node].kind == .array {
                frames[parent].elements.append(made)
            } else {
                frames[parent].entries[frames[parent].pendingKey] = made
            }
        }
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
