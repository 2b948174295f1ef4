internal import AshlarCore

extension RouteTable {
    /// Returns the routes as a tree, in the order in which they are tried.
    ///
    /// Each line is a segment. At the end of a route, its pattern and the source location of its registration follow.
    ///
    /// ```swift
    /// let table = try RouteTable(["/notes{/:id(int)}", "/notes/new", "/*rest"])
    /// print(table.routesTable())
    /// // /
    /// // ├── notes            /notes{/:id(int)}
    /// // │   ├── new          /notes/new
    /// // │   └── :id(int)     /notes{/:id(int)}
    /// // └── *rest            /*rest
    /// ```
    ///
    /// - Complexity: O(*n* log *n*) in the number of segments of all routes.
    public func routesTable() -> String {
        var lines: [(tree: String, targets: [RouteTarget])] = []
        for root in outline() {
            // Depth first with an explicit stack, because a pattern can be deep.
            var stack = [(node: root, lead: "", mark: "", isRoot: true)]
            while let (node, lead, mark, isRoot) = stack.popLast() {
                lines.append((lead + mark + node.label, node.ends))
                let childLead = isRoot ? "" : lead + (mark == "└── " ? "    " : "│   ")
                let children = node.children.sorted { $0.rank < $1.rank }
                for (index, child) in children.enumerated().reversed() {
                    let isLast = index == children.count - 1
                    stack.append((child.node, childLead, isLast ? "└── " : "├── ", false))
                }
            }
        }
        let width = (lines.map(\.tree.count).max() ?? 0) + 4
        return lines.map { line in
            let ends = line.targets.map { target in
                target.pattern.source + (target.route.map { "  \($0.location)" } ?? "")
            }
            guard !ends.isEmpty else { return line.tree }
            return line.tree + String(repeating: " ", count: width - line.tree.count) + ends.joined(separator: ", ")
        }.joined(separator: "\n")
    }

    /// A node of the printed tree.
    private final class Outline {
        var label: String
        var ends: [RouteTarget] = []
        var children: [(rank: RouteRank, node: Outline)] = []
        var indexByShape: [[UInt8]: Int] = [:]
        init(_ label: String) { self.label = label }
    }

    /// Returns the roots with their descendants; the root of paths is first.
    private func outline() -> [Outline] {
        var roots: [(key: String, node: Outline)] = []
        for target in tree.liveTargets {
            let key = target.pattern.authority?.text ?? ""
            var node: Outline
            if let root = roots.first(where: { $0.key.hasSameBytes(as: key) }) {
                node = root.node
            } else {
                node = Outline(key.isEmpty ? "/" : key)
                roots.append((key, node))
            }
            var variant = target.pattern.variants[target.variant]
            variant.trim(tree.options)
            for index in variant.segments.indices { node = child(of: node, variant, index) }
            node.ends.append(target)
        }
        return roots.sorted { $0.key < $1.key }.map(\.node)
    }

    private func child(of parent: Outline, _ variant: RouteVariant, _ index: Int) -> Outline {
        let segment = variant.segments[index]
        let label = variant.label(index)
        // Segments that differ only in their names are one node.
        let type = segment.type?.name ?? ""
        let text = [segment.prefix, segment.suffix].map { String(decoding: variant.text[$0], as: UTF8.self) }
        let written = "\(segment.kind.rawValue) \(text[0].utf8.count) \(text[0]) \(type) \(text[1])".utf8
        let shape = options.isCaseSensitive ? Array(written) : written.map { $0.asciiLowercased }
        if let known = parent.indexByShape[shape] {
            let node = parent.children[known].node
            if segment.kind != .literal, !node.label.split(separator: "|").map(String.init).contains(bytesOf: label) {
                node.label += "|" + label
            }
            return node
        }
        let node = Outline(label)
        parent.indexByShape[shape] = parent.children.count
        parent.children.append(
            (RouteRank(segment, in: variant.text, types: tree.types, foldsCase: tree.options.foldsCase), node))
        return node
    }
}
