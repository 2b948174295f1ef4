internal import AshlarCore

/// One source of a tree, which converts the positions of its nodes to locations.
struct ConfigTreeSource: Sendable {
    enum Positions: Sendable {
        /// A node's position is a byte offset in a text of these lines.
        case lines(LineTable)
        /// A node's position is a byte offset in a file without lines.
        case offsets
        /// A node's position is an index into these locations.
        case places([ConfigLocation])
        /// The source has no positions.
        case none
    }

    /// The location of the whole source.
    var whole: ConfigLocation
    var positions: Positions
    /// Whether strings of the source are never templates.
    var isLiteral = false

    static func code(_ name: String) -> ConfigTreeSource {
        ConfigTreeSource(whole: ConfigLocation(file: name), positions: .none)
    }

    func location(at position: UInt32) -> ConfigLocation {
        var location = whole
        switch positions {
        case .lines(let lines):
            (location.line, location.column) = lines.position(of: Int(position))
            location.offset = Int(position)
        case .offsets: location.offset = Int(position)
        case .places(let places): return Int(position) < places.count ? places[Int(position)] : whole
        case .none: break
        }
        return location
    }
}
