/// Visits a value and its descendants without recursion, the entries of dictionaries in the order of their keys.
struct TreeWalk {
    /// A step of the walk; the depth counts the containers around the node.
    enum Step {
        case scalar(Int)
        /// The start of a container that isn't empty.
        case open(Int)
        case close(Int)
        /// An empty container.
        case empty(Int)
    }

    private struct Level {
        let node: Int
        var rest: [Int]
    }

    let tree: ConfigTree
    private var levels: [Level] = []
    private var root: Int?

    init(_ tree: ConfigTree, from root: Int = 0) { (self.tree, self.root) = (tree, root) }

    /// The number of open containers.
    var depth: Int { levels.count }

    /// Whether the innermost container has more children.
    var hasMore: Bool { levels.last.map { !$0.rest.isEmpty } ?? false }

    mutating func next() -> Step? {
        if let node = root {
            root = nil
            return enter(node)
        }
        guard let top = levels.indices.last else { return nil }
        if let node = levels[top].rest.popLast() { return enter(node) }
        return .close(levels.removeLast().node)
    }

    private mutating func enter(_ node: Int) -> Step {
        guard tree.kind(of: node).isContainer else { return .scalar(node) }
        var children = Array(tree.children(of: node))
        if tree.kind(of: node) == .dictionary {
            children = children.map { ($0, tree.key(of: $0)) }.sorted { $0.1 < $1.1 }.map(\.0)
        }
        if children.isEmpty { return .empty(node) }
        levels.append(Level(node: node, rest: children.reversed()))
        return .open(node)
    }
}
