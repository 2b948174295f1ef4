internal import AshlarTrees

/// Collects values assigned to paths, each with its location, and builds a tree from them.
struct ConfigAssignments {
    private struct Branch {
        /// The entries of a dictionary, or the elements of an array by index.
        var children: [String: Branch] = [:]
        /// The keys of `children` in the order of their assignment.
        var order: [String] = []
        var leaf: (value: ConfigValue, position: UInt32)?
        var isArray = false

        /// The position of the first value inside, which is also that of the container.
        var firstPosition: UInt32 {
            leaf?.position ?? order.first.flatMap { children[$0]?.firstPosition } ?? 0
        }

        /// Divides an assigned container into its values, so that values inside it can be replaced.
        mutating func divide() {
            guard let old = leaf else { return }
            self = Branch()
            switch old.value {
            case .array(let elements):
                isArray = true
                for (index, element) in elements.enumerated() { add("\(index)", Branch(leaf: (element, old.position))) }
            case .dictionary(let entries):
                for (key, entry) in entries.sorted(by: { $0.key < $1.key }) {
                    add(key, Branch(leaf: (entry, old.position)))
                }
            default: return
            }
        }

        private mutating func add(_ key: String, _ child: Branch) {
            children[key] = child
            order.append(key)
        }

        /// Sets a value at a path.
        mutating func set(
            _ leaf: (ConfigValue, UInt32), at steps: ArraySlice<ConfigPath.Component>, isInArray: Bool = false
        ) throws(IndexOutOfRange) {
            guard let step = steps.first else {
                self = Branch(leaf: leaf)
                return
            }
            let key: String
            switch step {
            case .key(let name):
                if isInArray { divide() }
                if self.leaf != nil || isArray { self = Branch() }
                key = name
            case .index(let index):
                divide()
                if self.leaf != nil || !isArray { self = Branch(isArray: true) }
                if index < 0 || index > children.count {
                    throw IndexOutOfRange(index: index, count: children.count)
                }
                key = "\(index)"
            }
            if children[key] == nil { order.append(key) }
            try children[key, default: Branch()].set(
                leaf, at: steps.dropFirst(), isInArray: isInArray || step.key == nil)
        }

        var value: PlacedValue {
            if let leaf { return PlacedValue(leaf.value, place: leaf.position) }
            guard isArray else { return PlacedValue(.dictionary(members), place: firstPosition) }
            return PlacedValue(.array(order.indices.compactMap { children["\($0)"]?.value }), place: firstPosition)
        }

        var members: [PlacedValue.Member] {
            order.compactMap { key in
                children[key].map { PlacedValue.Member(key, place: $0.firstPosition, $0.value) }
            }
        }
    }

    private var root = Branch()
    private var places: [ConfigLocation] = []
    /// The positions of the values that are never printed.
    private var secretPositions: Set<UInt32> = []
    /// Assigns a value; a later value replaces an earlier one at, above, or below its path.
    ///
    /// - Throws: If an index is beyond the end of an array.
    mutating func set(
        _ value: ConfigValue, at steps: [ConfigPath.Component], from place: ConfigLocation, isSecret: Bool = false
    ) throws(ConfigError) {
        places.append(place)
        if isSecret { secretPositions.insert(UInt32(places.count - 1)) }
        do throws(IndexOutOfRange) {
            try root.set((value, UInt32(places.count - 1)), at: steps[...])
        } catch {
            throw ConfigError(
                .malformedSource, key: ConfigPath(steps), location: place, expected: "an index up to \(error.count)",
                found: "\(error.index)")
        }
    }

    /// Assigns a value to a key of the root.
    mutating func set(_ value: ConfigValue, at key: String, from place: ConfigLocation) {
        places.append(place)
        if root.children[key] == nil { root.order.append(key) }
        root.children[key] = Branch(leaf: (value, UInt32(places.count - 1)))
    }

    /// Returns the tree of all assignments; if it is literal, its strings contain no references.
    func tree(of whole: ConfigLocation, isLiteral: Bool = true) -> ConfigTree {
        ConfigTree(
            root: PlacedValue(.dictionary(root.members)),
            source: ConfigTreeSource(
                whole: whole, positions: .places(places), isLiteral: isLiteral, secretPlaces: secretPositions))
    }
}

struct IndexOutOfRange: Error {
    let index: Int
    let count: Int
}

extension ConfigPath.Component {
    /// Every element of an array, in the paths of declarations.
    package static let anyIndex = ConfigPath.Component.index(-1)
    /// Every value of a dictionary, in the paths of declarations.
    package static let anyKey = ConfigPath.Component.index(-2)

    /// The key, unless the step is an index.
    package var key: String? {
        if case .key(let key) = self { key } else { nil }
    }
}
