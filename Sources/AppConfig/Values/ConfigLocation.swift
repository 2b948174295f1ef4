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

/// What converts the places of a source's values to locations.
struct ConfigTreeSource: Sendable {
    enum Positions: Sendable {
        /// A place is a byte offset in a text of these lines.
        case lines(LineTable)
        /// A place is a byte offset in a file without lines.
        case offsets
        /// A place is an index into these locations.
        case places([ConfigLocation])
        /// The source has no positions.
        case none
    }

    /// The location of the whole source.
    var whole: ConfigLocation
    var positions: Positions
    /// Whether strings of the source are never templates.
    var isLiteral = false
    /// Whether all values are never printed.
    var isSecret = false
    /// The places of the values that are never printed.
    var secretPlaces: Set<UInt32> = []

    static func code(_ name: String) -> ConfigTreeSource {
        ConfigTreeSource(whole: ConfigLocation(file: name), positions: .none)
    }

    /// The same source with literal strings.
    var literal: ConfigTreeSource {
        var source = self
        source.isLiteral = true
        return source
    }

    func isSecret(at place: UInt32) -> Bool { isSecret || secretPlaces.contains(place) }

    func location(at place: UInt32) -> ConfigLocation {
        var location = whole
        switch positions {
        case .lines(let lines):
            (location.line, location.column) = lines.position(of: Int(place))
            location.offset = Int(place)
        case .offsets: location.offset = Int(place)
        case .places(let places): return Int(place) < places.count ? places[Int(place)] : whole
        case .none: break
        }
        return location
    }

    /// Returns the same source; locations without a file are moved to the given file.
    func placed(in file: ConfigLocation) -> ConfigTreeSource {
        var source = self
        source.whole = whole.placed(in: file)
        if case .places(let places) = positions {
            source.positions = .places(places.map { $0.placed(in: file) })
        }
        return source
    }
}
