/// Collects values assigned to paths, each with its location, and builds a tree from them.
struct ConfigAssignments {
    private struct Branch {
        /// The entries of a dictionary, or the elements of an array by index.
        var children: [String: Branch] = [:]
        /// The keys of `children` in the order of their assignment.
        var order: [String] = []
        var leaf: (value: ConfigValue, position: UInt32)?
        var isArray = false
        /// Whether the whole container was assigned before values inside it.
        var isWhole = false

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
            isWhole = true
        }

        private mutating func add(_ key: String, _ child: Branch) {
            children[key] = child
            order.append(key)
        }

        /// Sets a value at a path; entries can be added to a whole dictionary in an array or over a weaker layer.
        mutating func set(
            _ leaf: (ConfigValue, UInt32), at steps: ArraySlice<ConfigPath.Component>, settingElements: Bool,
            isInArray: Bool = false
        ) throws(IndexOutOfRange) {
            guard let step = steps.first else {
                self = Branch(leaf: leaf)
                return
            }
            let key: String
            switch step {
            case .key(let name):
                if settingElements || isInArray { divide() }
                if self.leaf != nil || isArray { self = Branch() }
                key = name
            case .index(let index):
                divide()
                if self.leaf != nil || !isArray { self = Branch(isArray: true) }
                if index < 0 || (!settingElements || isWhole) && index > children.count {
                    throw IndexOutOfRange(index: index, count: children.count)
                }
                key = "\(index)"
            }
            if children[key] == nil { order.append(key) }
            try children[key, default: Branch()].set(
                leaf, at: steps.dropFirst(), settingElements: settingElements,
                isInArray: isInArray || step.key == nil)
        }
    }

    private var root = Branch()
    private var places: [ConfigLocation] = []
    /// The positions of the values that are never printed.
    private var secretPositions: Set<UInt32> = []
    /// Whether the values are set in weaker layers, in which single elements of arrays are then set.
    private let setsElements: Bool

    init(settingElements setsElements: Bool = false) { self.setsElements = setsElements }

    var isEmpty: Bool { places.isEmpty }

    /// Assigns a value; a later value replaces an earlier one at, above, or below its path.
    ///
    /// - Throws: If an index is beyond the end of an array, unless elements of weaker arrays are set.
    mutating func set(
        _ value: ConfigValue, at steps: [ConfigPath.Component], from place: ConfigLocation, isSecret: Bool = false
    ) throws(ConfigError) {
        places.append(place)
        if isSecret { secretPositions.insert(UInt32(places.count - 1)) }
        do throws(IndexOutOfRange) {
            try root.set((value, UInt32(places.count - 1)), at: steps[...], settingElements: setsElements)
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

    // MARK: Elements of weaker arrays

    /// Removes the elements that would leave a gap after the end of a weaker array; returns an error for each.
    mutating func removeDetachedElements(over known: ConfigTree) -> [ConfigError] {
        var errors: [ConfigError] = []
        removeDetachedElements(in: &root, over: known, at: 0, path: [], &errors)
        return errors
    }

    private func removeDetachedElements(
        in branch: inout Branch, over known: ConfigTree, at node: Int?, path: [ConfigPath.Component],
        _ errors: inout [ConfigError]
    ) {
        if branch.isArray, !branch.isWhole {
            var count = node.map { known.kind(of: $0) == .array ? known.count(of: $0) : 0 } ?? 0
            for index in branch.order.compactMap({ Int($0) }).sorted() where index >= count {
                if index == count {
                    count += 1
                    continue
                }
                let removed = branch.children.removeValue(forKey: "\(index)")
                branch.order.removeAll { $0 == "\(index)" }
                errors.append(
                    ConfigError(
                        .malformedSource, key: ConfigPath(path + [.index(index)]),
                        location: removed.map { places[Int($0.firstPosition)] }, expected: "an index up to \(count)",
                        found: "\(index)"))
            }
        }
        for key in branch.order {
            let step = branch.isArray ? ConfigPath.Component.index(Int(key) ?? 0) : .key(key)
            let below = branch.isWhole ? nil : node.flatMap { known.descend(from: $0, [step]) }
            removeDetachedElements(
                in: &branch.children[key, default: Branch()], over: known, at: below, path: path + [step], &errors)
        }
    }

    // MARK: The tree

    /// Returns the tree of all assignments; if it is literal, its strings contain no references.
    func tree(of whole: ConfigLocation, isLiteral: Bool = true) -> ConfigTree {
        var builder = ConfigTreeBuilder()
        builder.open(.dictionary, position: 0)
        emitEntries(of: root, &builder)
        builder.close()
        return builder.finish(sources: [
            ConfigTreeSource(whole: whole, positions: .places(places), isLiteral: isLiteral)
        ])
    }

    private func emitEntries(of branch: Branch, _ builder: inout ConfigTreeBuilder) {
        for key in branch.order {
            guard let child = branch.children[key] else { continue }
            builder.key(String(decoding: key.utf8.prefix(65535), as: UTF8.self))
            emit(child, isElement: false, &builder)
        }
    }

    private func emit(_ branch: Branch, isElement: Bool, _ builder: inout ConfigTreeBuilder) {
        let node = builder.count
        if let leaf = branch.leaf {
            builder.value(leaf.value, position: leaf.position)
            if secretPositions.contains(leaf.position) { builder.markValues(from: node) }
            // An element is assigned as a whole, but its entries can also be assigned one by one.
            if isElement, leaf.value.dictionary != nil { builder.mark(node, .replaces) }
            return
        }
        let setsElements = setsElements && branch.isArray && !branch.isWhole
        builder.open(branch.isArray && !setsElements ? .array : .dictionary, position: branch.firstPosition)
        if isElement, branch.isWhole, !branch.isArray { builder.mark(node, .replaces) }
        if setsElements { builder.mark(node, .elements) }
        if branch.isArray {
            for index in branch.order.compactMap({ Int($0) }).sorted() {
                guard let child = branch.children["\(index)"] else { continue }
                if setsElements { builder.key("\(index)") }
                emit(child, isElement: true, &builder)
            }
        } else {
            emitEntries(of: branch, &builder)
        }
        builder.close()
    }
}

private struct IndexOutOfRange: Error {
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
