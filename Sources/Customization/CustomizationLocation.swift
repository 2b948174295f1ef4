/// The place in a file that a value or a problem comes from.
///
/// Lines end at LF, CR or CR LF. A column counts Unicode scalars from the start of its line. Both count from 1;
/// 0 stands for "not known", as for values of a binary file or values set by code.
public struct CustomizationLocation: Hashable, Sendable, CustomStringConvertible {
    /// The file's path, relative to the folder it was loaded from where there is one.
    public var file: String
    /// The line, counted from 1, or 0 if it is not known.
    public var line: Int
    /// The column in Unicode scalars, counted from 1, or 0 if it is not known.
    public var column: Int

    /// Creates a location.
    ///
    /// - Parameters:
    ///   - file: The file's path.
    ///   - line: The line, counted from 1, or 0 if it is not known.
    ///   - column: The column, counted from 1, or 0 if it is not known.
    public init(file: String, line: Int = 0, column: Int = 0) {
        (self.file, self.line, self.column) = (file, line, column)
    }

    /// The location as compilers print it: `fr.lproj/Localizable.strings:12:4`.
    public var description: String {
        if line == 0 { return file }
        return column == 0 ? "\(file):\(line)" : "\(file):\(line):\(column)"
    }
}
