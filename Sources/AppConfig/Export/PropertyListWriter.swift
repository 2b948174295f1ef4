internal import AshlarCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
                begin(node, tree, depth, &text)
                text += scalar(tree.scalar(of: node) ?? .null) + "\n"
            case .empty(let node):
                begin(node, tree, depth, &text)
                text += tree.kind(of: node) == .array ? "<array/>\n" : "<dict/>\n"
            case .open(let node):
                begin(node, tree, depth, &text)
                text += tree.kind(of: node) == .array ? "<array>\n" : "<dict>\n"
            case .close(let node):
                text += String(repeating: "\t", count: depth - 1)
                text += tree.kind(of: node) == .array ? "</array>\n" : "</dict>\n"
            }
        }
    }

    /// Writes the text before a value: the indentation and, in a dictionary, the key.
    private func begin(_ node: Int, _ tree: ConfigTree, _ depth: Int, _ text: inout String) {
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
