internal import AshlarCore

/// One source of a tree, which turns the positions of its nodes into places.
struct ConfigSource: Sendable {
    enum Positions: Sendable {
        /// A node's position is a byte offset in a text of these lines.
        case lines(LineTable)
        /// A node's position is a byte offset in a file without lines.
        case offsets
        /// A node's position is an index into these names of variables or arguments.
        case names([String])
        /// Positions have no meaning.
        case none
    }

    var name: String
    var file: String?
    var positions: Positions
    /// Whether strings of the source are never templates.
    var isLiteral = false

    static func code(_ name: String) -> ConfigSource { ConfigSource(name: name, file: nil, positions: .none) }

    func origin(at position: UInt32) -> ConfigOrigin {
        switch positions {
        case .lines(let lines):
            let (line, column) = lines.position(of: Int(position))
            return ConfigOrigin(name: name, file: file, line: line, column: column, offset: Int(position))
        case .offsets: return ConfigOrigin(name: name, file: file, offset: Int(position))
        case .names(let names): return ConfigOrigin(name: Int(position) < names.count ? names[Int(position)] : name)
        case .none: return ConfigOrigin(name: name, file: file)
        }
    }
}
