/// The location of a value or a problem in a file.
///
/// Lines end at LF, CR or CR LF. Line and column numbers start at 1; a column is counted in Unicode scalars. 0 means
/// unknown, as for a value of a binary file or a value set by code.
public struct CustomizationLocation: Hashable, Sendable, CustomStringConvertible {
    /// The file's path, relative to the folder that it was loaded from.
    public var file: String
    /// The line, from 1, or 0 if unknown.
    public var line: Int
    /// The column in Unicode scalars, from 1, or 0 if unknown.
    public var column: Int

    /// Creates a location.
    public init(file: String, line: Int = 0, column: Int = 0) {
        (self.file, self.line, self.column) = (file, line, column)
    }

    /// The location in the format of a compiler: `fr.lproj/Localizable.strings:12:4`.
    public var description: String {
        if line == 0 { return file }
        return column == 0 ? "\(file):\(line)" : "\(file):\(line):\(column)"
    }
}
