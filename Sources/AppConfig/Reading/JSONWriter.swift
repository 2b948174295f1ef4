internal import AshlarTrees

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Writes values as JSON, without recursion.
///
/// Dates, data, and numbers that aren't finite become strings, which the getters can read.
package struct JSONWriter {
    let isPretty: Bool

    package init(isPretty: Bool) { self.isPretty = isPretty }

    /// Returns the text of a value with sorted keys.
    package func text(_ value: ConfigValue) -> String {
        var builder = ConfigTreeBuilder()
        builder.value(value)
        let tree = builder.finish(sources: [.code("")])
        var text = ""
        var containers: [Int] = []
        func breakLine() {
            if isPretty { text += "\n" + String(repeating: "  ", count: containers.count) }
        }
        func closeContainers(before node: Int) {
            while let last = containers.last, Int(tree.nodes[last].end) <= node {
                containers.removeLast()
                if tree.count(of: last) > 0 { breakLine() }
                text += tree.kind(of: last) == .array ? "]" : "}"
            }
        }
        for node in tree.nodes.indices {
            closeContainers(before: node)
            if node > 0 {
                let parent = Int(tree.nodes[node].parent)
                if node > parent + 1 { text += isPretty ? "," : ", " }
                breakLine()
                if tree.kind(of: parent) == .dictionary {
                    text += JSONText.quoted(tree.key(of: node)) + (isPretty ? ": " : ":")
                }
            }
            if let scalar = tree.scalar(of: node) {
                text += Self.text(scalar: scalar)
            } else {
                text += tree.kind(of: node) == .array ? "[" : "{"
                containers.append(node)
            }
        }
        closeContainers(before: tree.nodes.count)
        return text
    }

    private static func text(scalar value: ConfigValue) -> String {
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
