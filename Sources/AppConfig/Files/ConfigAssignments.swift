/// Collects values assigned to paths, each with its location, and builds a tree from them.
struct ConfigAssignments {
    private struct Branch {
        var children: [String: Branch] = [:]
        var order: [String] = []
        var leaf: (value: ConfigValue, position: UInt32)?

        /// The position of the first value inside, which is also that of the dictionary.
        var firstPosition: UInt32 {
            leaf?.position ?? order.first.flatMap { children[$0]?.firstPosition } ?? 0
        }
    }

    private var root = Branch()
    private var places: [ConfigLocation] = []

    var isEmpty: Bool { places.isEmpty }

    /// Assigns a value; a later value replaces an earlier one at, above, or below its path.
    ///
    /// An assignment to an element assigns the whole array. `known` is the current array.
    mutating func set(
        _ value: ConfigValue, at steps: [ConfigPath.Component], from place: ConfigLocation,
        over known: ConfigTree = .empty
    ) throws(ConfigError) {
        var keys: [String] = []
        for case .key(let key) in steps.prefix(while: { $0.key != nil }) { keys.append(key) }
        var value = value
        if keys.count < steps.count {
            let old = assigned(keys) ?? known.descend(keys.map { .key($0) }).map { known.value(of: $0) }
            do throws(IndexOutOfRange) {
                value = try (old ?? .array([])).setting(value, at: steps.dropFirst(keys.count))
            } catch {
                throw ConfigError(
                    .malformedSource, key: ConfigPath(steps), location: place,
                    expected: "an index up to \(error.count)", found: "\(error.index)")
            }
        }
        places.append(place)
        Self.set(&root, keys[...], (value, UInt32(places.count - 1)))
    }

    /// Assigns a value to a key of the root.
    mutating func set(_ value: ConfigValue, at key: String, from place: ConfigLocation) {
        places.append(place)
        Self.set(&root, [key], (value, UInt32(places.count - 1)))
    }

    private func assigned(_ keys: [String]) -> ConfigValue? {
        var branch: Branch? = root
        for key in keys { branch = branch?.children[key] }
        return branch?.leaf?.value
    }

    private static func set(_ branch: inout Branch, _ keys: ArraySlice<String>, _ leaf: (ConfigValue, UInt32)) {
        guard let key = keys.first else {
            branch = Branch(leaf: leaf)
            return
        }
        branch.leaf = nil
        if branch.children[key] == nil { branch.order.append(key) }
        set(&branch.children[key, default: Branch()], keys.dropFirst(), leaf)
    }

    /// Returns the tree of all assignments; if it is literal, its strings contain no references.
    func tree(of whole: ConfigLocation, isLiteral: Bool = true) -> ConfigTree {
        var builder = ConfigTreeBuilder()
        builder.open(.dictionary, position: 0)
        Self.emit(root, &builder)
        builder.close()
        return builder.finish(sources: [
            ConfigTreeSource(whole: whole, positions: .places(places), isLiteral: isLiteral)
        ])
    }

    private static func emit(_ branch: Branch, _ builder: inout ConfigTreeBuilder) {
        for key in branch.order {
            guard let child = branch.children[key] else { continue }
            builder.key(String(decoding: key.utf8.prefix(65535), as: UTF8.self))
            if let leaf = child.leaf {
                builder.value(leaf.value, position: leaf.position)
            } else {
                builder.open(.dictionary, position: child.firstPosition)
                emit(child, &builder)
                builder.close()
            }
        }
    }
}

private struct IndexOutOfRange: Error {
    let index: Int
    let count: Int
}

extension ConfigPath.Component {
    /// The key, unless the step is an index.
    package var key: String? {
        if case .key(let key) = self { key } else { nil }
    }
}

extension ConfigValue {
    /// Returns the value with a part replaced; an index can be one past the last element.
    fileprivate func setting(
        _ value: ConfigValue, at steps: ArraySlice<ConfigPath.Component>
    ) throws(IndexOutOfRange) -> ConfigValue {
        switch steps.first {
        case nil: return value
        case .key(let key):
            var entries = dictionary ?? [:]
            entries[key] = try (entries[key] ?? .null).setting(value, at: steps.dropFirst())
            return .dictionary(entries)
        case .index(let index):
            var elements = array ?? []
            guard index <= elements.count else { throw IndexOutOfRange(index: index, count: elements.count) }
            let old = index < elements.count ? elements[index] : .null
            let new = try old.setting(value, at: steps.dropFirst())
            if index < elements.count { elements[index] = new } else { elements.append(new) }
            return .array(elements)
        }
    }
}
