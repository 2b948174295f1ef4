import AshlarCore
import AshlarCustomization

/// Writes the files of exports.
enum FileOutput {
    /// Replaces a file and creates its folder; a failure has the code `unwritable` and the file's path.
    static func write(_ bytes: [UInt8], to path: String) throws(CustomizationError) {
        do throws(FileFailure) {
            if let slash = path.lastIndex(of: "/") { try FolderListing.create(String(path[..<slash])) }
            try AtomicFile.replace(path, with: bytes, permissions: 0o644)
        } catch {
            throw CustomizationError(.unwritable, key: path, expected: "\(error)")
        }
    }
}
