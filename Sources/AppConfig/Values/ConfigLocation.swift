internal import AshlarCore

/// The location of a value or a problem: a line of a file, an environment variable, an argument, or code.
///
/// Line and column numbers start at 1; a column is counted in UTF-8 bytes. 0 means unknown, as for a value of a binary
/// file, a variable, or code.
public struct ConfigLocation: Hashable, Sendable, CustomStringConvertible {
    /// The file's path, or the name of another source, such as `APP_HTTP__TIMEOUT` or `run time`.
    public var file: String
    /// The line, from 1, or 0 if unknown.
    public var line: Int
    /// The column in UTF-8 bytes, from 1, or 0 if unknown.
    public var column: Int
    /// The offset in bytes from the start of the file; `nil` outside a file.
    package var offset: Int?
    /// The short name for messages: the file's name without its folder.
    package var name: String

    /// Creates a location.
    ///
    /// - Parameters:
    ///   - file: The file's path, or the name of another source.
    ///   - line: The line, from 1, or 0 if unknown.
    ///   - column: The column in UTF-8 bytes, from 1, or 0 if unknown.
    ///   - offset: The offset in bytes from the start of the file.
    ///   - name: The short name for messages; `file` if `nil`.
    package init(file: String, line: Int = 0, column: Int = 0, offset: Int? = nil, name: String? = nil) {
        self.file = file
        self.line = line
        self.column = column
        self.offset = offset
        self.name = name ?? file
    }

    /// The name and line, such as `ApplicationConfig.plist:12`, or `Config.plist@812` for a binary file.
    public var description: String {
        if line > 0 { return "\(name):\(line)" }
        if let offset { return "\(name)@\(offset)" }
        return name
    }

    /// The location with its column, for error messages.
    var fullDescription: String { line > 0 && column > 0 ? "\(name):\(line):\(column)" : description }
}

extension ConfigLocation {
    /// Returns the location with a file, unless it already has one.
    func placed(in file: ConfigLocation) -> ConfigLocation {
        if !self.file.isEmpty { return self }
        var location = file
        location.line = line
        location.column = column
        location.offset = offset
        return location
    }
}

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
