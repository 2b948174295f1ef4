internal import AshlarTrees

/// Collects values assigned to paths, each with its location, and builds a tree from them.
struct ConfigAssignments {
    private indirect enum Branch {
        case leaf(ConfigValue, place: UInt32)
        case array([Branch])
        case dictionary([String: Branch])

        /// The place of the first value inside, which is also that of the container.
        var place: UInt32 {
            switch self {
            case .leaf(_, let place): place
            case .array(let elements): elements.first?.place ?? 0
            case .dictionary(let entries): entries.values.lazy.map(\.place).min() ?? 0
            }
        }

        /// Takes out the elements of an array; an assigned array is divided, and another value is replaced.
        private mutating func takeElements() -> [Branch] {
            defer { self = .array([]) }
            return switch self {
            case .array(let elements): elements
            case .leaf(.array(let elements), let place): elements.map { .leaf($0, place: place) }
            default: []
            }
        }

        /// Takes out the entries of a dictionary; an assigned one is divided in an array, and another value is replaced.
        private mutating func takeEntries(isInArray: Bool) -> [String: Branch] {
            defer { self = .dictionary([:]) }
            return switch self {
            case .dictionary(let entries): entries
            case .leaf(.dictionary(let entries), let place) where isInArray:
                entries.mapValues { .leaf($0, place: place) }
            default: [:]
            }
        }

        /// Sets a value at a path.
        mutating func set(
            _ leaf: Branch, at steps: ArraySlice<ConfigPath.Component>, isInArray: Bool = false
        ) throws(IndexOutOfRange) {
            guard let step = steps.first else {
                self = leaf
                return
            }
            switch step {
            case .key(let key):
                var entries = takeEntries(isInArray: isInArray)
                defer { self = .dictionary(entries) }
                try entries[key, default: .dictionary([:])].set(leaf, at: steps.dropFirst(), isInArray: isInArray)
            case .index(let index):
                var elements = takeElements()
                defer { self = .array(elements) }
                guard elements.indices.contains(index) || index == elements.count else {
                    throw IndexOutOfRange(index: index, count: elements.count)
                }
                if index == elements.count { elements.append(.dictionary([:])) }
                try elements[index].set(leaf, at: steps.dropFirst(), isInArray: true)
            }
        }

        var value: PlacedValue {
            switch self {
            case .leaf(let value, let place): PlacedValue(value, place: place)
            case .array(let elements): PlacedValue(.array(elements.map(\.value)), place: place)
            case .dictionary(let entries):
                PlacedValue(
                    .dictionary(
                        entries.map { PlacedValue.Member($0, place: $1.place, $1.value) }.sorted {
                            ($0.place, $0.key) < ($1.place, $1.key)
                        }), place: place)
            }
        }
    }

    private var root = Branch.dictionary([:])
    private var places: [ConfigLocation] = []
    /// The places of the values that are never printed.
    private var secretPlaces: Set<UInt32> = []

    init() {}

    /// Creates the assignments of the root entries of a tree.
    init(_ tree: ConfigTree) {
        var entries: [String: Branch] = [:]
        for member in tree.root.members ?? [] {
            entries[member.key] = .leaf(member.value.value, place: UInt32(places.count))
            places.append(tree.location(of: member.value))
        }
        root = .dictionary(entries)
    }

    /// Assigns a value; a later value replaces an earlier one at, above, or below its path.
    ///
    /// - Throws: If an index is beyond the end of an array.
    mutating func set(
        _ value: ConfigValue, at steps: [ConfigPath.Component], from place: ConfigLocation, isSecret: Bool = false
    ) throws(ConfigError) {
        places.append(place)
        let leaf = Branch.leaf(value, place: UInt32(places.count - 1))
        if isSecret { secretPlaces.insert(leaf.place) }
        do throws(IndexOutOfRange) {
            try root.set(leaf, at: steps[...])
        } catch {
            throw ConfigError(
                .malformedSource, key: ConfigPath(steps), location: place, expected: "an index up to \(error.count)",
                found: "\(error.index)")
        }
    }

    /// Returns the tree of all assignments; if it is literal, its strings contain no references.
    func tree(of whole: ConfigLocation, isLiteral: Bool = true) -> ConfigTree {
        ConfigTree(
            root: root.value,
            source: ConfigTreeSource(
                whole: whole, positions: .places(places), isLiteral: isLiteral, secretPlaces: secretPlaces))
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
