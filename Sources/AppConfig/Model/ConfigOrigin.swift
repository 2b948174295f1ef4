internal import AshlarCore

/// The place a value was written: a line of a file, an environment variable, an argument, or code.
public struct ConfigOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The name people know the place by: a file name, `APP_HTTP__TIMEOUT`, `--http.timeout` or `run time`.
    public let name: String
    /// The whole path of the file, if the place is in one.
    public let file: String?
    /// The line, counted from 1; `nil` outside of text files.
    public let line: Int?
    /// The column in UTF-8 bytes, counted from 1; `nil` outside of text files.
    public let column: Int?
    /// The offset in bytes from the start of the file; `nil` outside of files.
    public let offset: Int?

    /// Creates a place.
    public init(name: String, file: String? = nil, line: Int? = nil, column: Int? = nil, offset: Int? = nil) {
        self.name = name
        self.file = file
        self.line = line
        self.column = column
        self.offset = offset
    }

    /// The place in one word, such as `ApplicationConfig.plist:12`, or `Config.plist@812` for a binary file.
    public var description: String {
        if let line { return "\(name):\(line)" }
        if let offset { return "\(name)@\(offset)" }
        return name
    }
}

/// One source of a tree, with what is needed to turn a node's position into a place.
struct ConfigSource: Sendable {
    enum Positions: Sendable {
        /// A node's position is a byte offset in a text of these lines.
        case lines(LineTable)
        /// A node's position is an offset in a file without lines.
        case offsets
        /// A node's position is an index into these names (variables, arguments).
        case names([String])
        /// Positions mean nothing.
        case none
    }

    var name: String
    var file: String?
    var positions: Positions
    /// Texts of the source are never templates.
    var isLiteral = false

    static func code(_ name: String) -> ConfigSource { ConfigSource(name: name, file: nil, positions: .none) }

    func origin(at position: UInt32) -> ConfigOrigin {
        switch positions {
        case .lines(let lines):
            let (line, column) = lines.position(of: Int(position))
            return ConfigOrigin(name: name, file: file, line: line, column: column, offset: Int(position))
        case .offsets:
            return ConfigOrigin(name: name, file: file, offset: Int(position))
        case .names(let names):
            return ConfigOrigin(name: Int(position) < names.count ? names[Int(position)] : name)
        case .none:
            return ConfigOrigin(name: name, file: file)
        }
    }
}
