internal import AshlarCore
internal import AshlarTrees

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

    init(_ tree: ConfigTree) {
        self.tree = tree
        root = 0
    }

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

/// Writes values as JSON with sorted keys.
///
/// Dates, data, and numbers that aren't finite become strings, which the getters can read.
package struct JSONWriter {
    let isPretty: Bool

    package init(isPretty: Bool) { self.isPretty = isPretty }

    package func text(_ value: ConfigValue) -> String {
        var builder = ConfigTreeBuilder()
        builder.value(value)
        return text(builder.finish(sources: [.code("")]))
    }

    /// Returns the text of a tree of any depth, without recursion.
    func text(_ tree: ConfigTree) -> String {
        var text = ""
        var walk = TreeWalk(tree)
        while true {
            let depth = walk.depth
            guard let step = walk.next() else { return text }
            switch step {
            case .scalar(let node):
                begin(node, of: tree, depth: depth, &text)
                text += scalar(tree.scalar(of: node) ?? .null)
            case .empty(let node):
                begin(node, of: tree, depth: depth, &text)
                text += tree.kind(of: node) == .array ? "[]" : "{}"
            case .open(let node):
                begin(node, of: tree, depth: depth, &text)
                text += tree.kind(of: node) == .array ? "[" : "{"
                continue
            case .close(let node):
                newline(&text, depth - 1)
                text += tree.kind(of: node) == .array ? "]" : "}"
            }
            if walk.hasMore { text += isPretty ? "," : ", " }
        }
    }

    /// Writes the text before a value: the line break and, in a dictionary, the key.
    private func begin(_ node: Int, of tree: ConfigTree, depth: Int, _ text: inout String) {
        if depth == 0 { return }
        newline(&text, depth)
        if tree.kind(of: Int(tree.nodes[node].parent)) == .dictionary {
            text += JSONText.quoted(tree.key(of: node)) + (isPretty ? ": " : ":")
        }
    }

    private func newline(_ text: inout String, _ depth: Int) {
        if isPretty { text += "\n" + String(repeating: "  ", count: depth) }
    }

    private func scalar(_ value: ConfigValue) -> String {
        switch value {
        case .null, .array, .dictionary: "null"
        case .boolean(let flag): flag ? "true" : "false"
        case .integer(let number): "\(number)"
        case .unsigned(let number): "\(number)"
        case .real(let number): number.isFinite ? "\(number)" : JSONText.quoted("\(number)")
        case .string(let string): JSONText.quoted(string)
        case .date(let date):
            JSONText.quoted(ConfigDateText.format(secondsSince2001: date.timeIntervalSinceReferenceDate))
        case .data(let data): JSONText.quoted(data.base64EncodedString())
        }
    }
}

/// Writes values as XML property lists with sorted keys.
///
/// `null`, which property lists lack, becomes an empty string; control characters, which XML lacks, become U+FFFD.
struct PropertyListWriter {
    /// Returns the text of a tree of any depth, without recursion.
    func text(_ tree: ConfigTree) -> String {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">

            """
        var walk = TreeWalk(tree)
        while true {
            let depth = walk.depth
            guard let step = walk.next() else { return text + "</plist>\n" }
            switch step {
            case .scalar(let node):
                begin(node, of: tree, depth: depth, &text)
                text += scalar(tree.scalar(of: node) ?? .null) + "\n"
            case .empty(let node):
                begin(node, of: tree, depth: depth, &text)
                text += tree.kind(of: node) == .array ? "<array/>\n" : "<dict/>\n"
            case .open(let node):
                begin(node, of: tree, depth: depth, &text)
                text += tree.kind(of: node) == .array ? "<array>\n" : "<dict>\n"
            case .close(let node):
                text += String(repeating: "\t", count: depth - 1)
                text += tree.kind(of: node) == .array ? "</array>\n" : "</dict>\n"
            }
        }
    }

    /// Writes the text before a value: the indentation and, in a dictionary, the key.
    private func begin(_ node: Int, of tree: ConfigTree, depth: Int, _ text: inout String) {
        let tabs = String(repeating: "\t", count: depth)
        if depth > 0, tree.kind(of: Int(tree.nodes[node].parent)) == .dictionary {
            text += "\(tabs)<key>\(Self.escaped(tree.key(of: node)))</key>\n"
        }
        text += tabs
    }

    private func scalar(_ value: ConfigValue) -> String {
        func element(_ name: String, _ content: String) -> String { "<\(name)>\(content)</\(name)>" }
        switch value {
        case .null, .array, .dictionary: return element("string", "")
        case .boolean(let flag): return "<\(flag)/>"
        case .integer(let number): return element("integer", "\(number)")
        case .unsigned(let number): return element("integer", "\(number)")
        case .real(let number): return element("real", "\(number)")
        case .string(let string): return element("string", Self.escaped(string))
        case .date(let date):
            // Dates in property lists have whole seconds.
            let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
            return element("date", ConfigDateText.format(secondsSince2001: seconds))
        case .data(let data): return element("data", data.base64EncodedString())
        }
    }
    private static func escaped(_ text: String) -> String { XMLText.escaped(text, replacement: "\u{FFFD}") }
}
