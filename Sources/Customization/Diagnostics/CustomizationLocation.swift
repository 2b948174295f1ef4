/// The location of a value or a problem in a file.
///
/// Lines end at LF, CR or CR LF. Columns count Unicode scalars. Lines and columns count from 1; 0 means unknown, as for
/// values of a binary file or values set by code.
public struct CustomizationLocation: Hashable, Sendable, CustomStringConvertible {
    /// The file's path, relative to the folder that it was loaded from.
    public var file: String
    /// The line, counted from 1, or 0 if unknown.
    public var line: Int
    /// The column in Unicode scalars, counted from 1, or 0 if unknown.
    public var column: Int

    /// Creates a location.
    ///
    /// - Parameters:
    ///   - file: The file's path.
    ///   - line: The line, counted from 1, or 0 if unknown.
    ///   - column: The column, counted from 1, or 0 if unknown.
    public init(file: String, line: Int = 0, column: Int = 0) {
        (self.file, self.line, self.column) = (file, line, column)
    }

    /// The location in the form of compilers: `fr.lproj/Localizable.strings:12:4`.
    public var description: String {
        if line == 0 { return file }
        return column == 0 ? "\(file):\(line)" : "\(file):\(line):\(column)"
    }
}
