import AshlarCore
public import AshlarCustomization

extension AndroidResources {
    /// Reads every `values…/*.xml` file below a folder, for an import.
    ///
    /// Paths are relative to the folder. Pass the folder above `res`: the project's, `app/src`, or that of an export.
    /// Unreadable files are reported in ``diagnostics``. Hidden folders and folders named `build` are skipped.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - maximumFileSize: Larger files are reported and skipped.
    public init(folder: String, maximumFileSize: Int = 64 << 20) {
        self.init(files: [])
        collect(folder, path: "", depth: 0, limit: maximumFileSize)
    }

    private mutating func collect(_ folder: String, path: String, depth: Int, limit: Int) {
        guard depth < 32, let names = FolderListing.names(in: folder) else {
            return report(path.isEmpty ? folder : path, "the folder cannot be listed")
        }
        let isValues = path.split(separator: "/").last?.hasPrefix("values") == true
        for name in names where !name.hasPrefix(".") {
            let (file, inner) = (folder + "/" + name, path.isEmpty ? name : path + "/" + name)
            if FileStatus(file)?.kind == .directory {
                if name != "build" { collect(file, path: inner, depth: depth + 1, limit: limit) }
            } else if isValues, name.hasSuffix(".xml") {
                do throws(FileFailure) {
                    let bytes = try WholeFile.read(file, limit: limit)
                    files.append(File(path: inner, text: String(decoding: bytes, as: UTF8.self)))
                } catch {
                    report(inner, "\(error)")
                }
            }
        }
    }

    private mutating func report(_ path: String, _ message: String) {
        diagnostics.add(.error, .unreadableFile, message, at: CustomizationLocation(file: path))
    }

    /// Writes the files below a folder; creates folders and replaces existing files.
    ///
    /// - Parameter folder: The path of the folder.
    /// - Throws: `CustomizationError` with the code `unwritable` and the file's path; files before it have been
    ///   written.
    public func write(toFolder folder: String) throws(CustomizationError) {
        for file in files {
            let parts = file.path.split(separator: "/")
            if parts.contains("..") {
                throw CustomizationError(.unwritable, key: file.path, expected: "the path leads out of the folder")
            }
            let path = parts.isEmpty ? "strings.xml" : parts.joined(separator: "/")
            try FileOutput.write(Array(file.text.utf8), to: folder + "/" + path)
        }
    }
}
