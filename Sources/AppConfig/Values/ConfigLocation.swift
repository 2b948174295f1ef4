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
    public var offset: Int?
    /// The short name for messages: the file's name without its folder.
    public var name: String

    /// Creates a location.
    ///
    /// - Parameters:
    ///   - file: The file's path, or the name of another source.
    ///   - line: The line, from 1, or 0 if unknown.
    ///   - column: The column in UTF-8 bytes, from 1, or 0 if unknown.
    ///   - offset: The offset in bytes from the start of the file.
    ///   - name: The short name for messages; `file` if `nil`.
    public init(file: String, line: Int = 0, column: Int = 0, offset: Int? = nil, name: String? = nil) {
        (self.file, self.line, self.column, self.offset) = (file, line, column, offset)
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
        (location.line, location.column, location.offset) = (line, column, offset)
        return location
    }
}
