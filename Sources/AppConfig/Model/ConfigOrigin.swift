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
