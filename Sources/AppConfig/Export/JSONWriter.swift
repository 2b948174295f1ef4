internal import AshlarCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes values as JSON with sorted keys.
///
/// Dates, data, and numbers that aren't finite become strings, which the getters can read.
struct JSONWriter {
    let isPretty: Bool

    func text(_ value: ConfigValue) -> String {
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
                begin(node, tree, depth, &text)
                text += scalar(tree.scalar(of: node) ?? .null)
            case .empty(let node):
                begin(node, tree, depth, &text)
                text += tree.kind(of: node) == .array ? "[]" : "{}"
            case .open(let node):
                begin(node, tree, depth, &text)
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
    private func begin(_ node: Int, _ tree: ConfigTree, _ depth: Int, _ text: inout String) {
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
