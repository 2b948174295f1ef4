internal import AshlarCore

/// Stores updates in a folder, so that they are available after a restart, and can restore the previous one.
///
/// The folder contains the current and the previous update. Each file is replaced atomically, so after a crash it has
/// either the old or the new content. An update must be newer than every update that was installed before, including
/// those that were rolled back. Use only one store for a folder.
///
/// ```swift
/// func install(_ download: [UInt8], _ store: CustomizationUpdateStore, _ center: CustomizationCenter) throws {
///     try store.install(download)
///     center.update { $0.with(update: store.current) }
/// }
/// ```
public final class CustomizationUpdateStore: Sendable {
    private enum File: String {
        case current = "current.ashlar-strings"
        case previous = "previous.ashlar-strings"
        /// The newest version that was installed.
        case newest = "newest-version"
    }

    private struct Stored: Sendable {
        let update: CustomizationUpdate
        let bytes: [UInt8]
    }

    /// The content of the folder.
    private struct Files: Sendable {
        var current: Stored?
        var previous: Stored?
        var newestVersion = 0
    }

    private let folder: String
    private let verify: CustomizationUpdate.Verification?
    /// The lock that is held while files are written.
    private let files: Mutex<Files>
    private let published: Mutex<CustomizationUpdate?>

    /// The problems found while opening the folder.
    public let diagnostics: [CustomizationDiagnostic]

    /// Opens a folder; the first installation creates it if it is missing.
    ///
    /// If the current update can't be read, this is reported in ``diagnostics``, and the previous update is used.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - verify: Checks a signature; see ``CustomizationUpdate/init(_:file:verify:)``.
    public init(folder: String, verify: CustomizationUpdate.Verification? = nil) {
        (self.folder, self.verify) = (folder, verify)
        var problems: [CustomizationDiagnostic] = []
        func read(_ file: File) -> Stored? {
            guard let bytes = try? WholeFile.read(folder + "/" + file.rawValue), !bytes.isEmpty else { return nil }
            do throws(CustomizationError) {
                let update = try CustomizationUpdate(bytes, file: file.rawValue, verify: verify)
                return Stored(update: update, bytes: bytes)
            } catch {
                problems.append(error.diagnostic)
                return nil
            }
        }
        var files = Files(current: read(.current), previous: read(.previous))
        files.current = files.current ?? (problems.isEmpty ? nil : files.previous)
        let newest = (try? WholeFile.read(folder + "/" + File.newest.rawValue)).flatMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        files.newestVersion = max(newest ?? 0, files.current?.update.version ?? 0)
        self.files = Mutex(files)
        published = Mutex(files.current?.update)
        diagnostics = problems
    }

    /// The current update, if any.
    public var current: CustomizationUpdate? { published.withLock { $0 } }

    /// Checks an update and makes it the current one.
    ///
    /// - Parameter bytes: The content of the file.
    /// - Returns: The update.
    /// - Throws: ``CustomizationError`` with the code `invalidUpdate`; the current update then remains in use.
    @discardableResult
    public func install(_ bytes: [UInt8]) throws(CustomizationError) -> CustomizationUpdate {
        let update = try CustomizationUpdate(bytes, verify: verify)
        try change { (files: inout Files) throws(CustomizationError) in
            guard update.version > files.newestVersion else {
                throw CustomizationUpdate.invalid(
                    "version \(update.version) is not newer than version \(files.newestVersion)", "update")
            }
            // The previous file is written first; after a crash in between, both files have the old content.
            if let old = files.current { try write(old.bytes, .previous) }
            try write(Array(String(update.version).utf8), .newest)
            try write(bytes, .current)
            files = Files(
                current: Stored(update: update, bytes: bytes), previous: files.current, newestVersion: update.version)
        }
        return update
    }

    /// Restores the previous update, or the app's strings.
    ///
    /// The version that is rolled back can't be installed again.
    ///
    /// - Returns: The new current update, if any.
    /// - Throws: ``CustomizationError`` with the code `invalidUpdate` if a file can't be written.
    @discardableResult
    public func rollBack() throws(CustomizationError) -> CustomizationUpdate? {
        try change { (files: inout Files) throws(CustomizationError) in
            try write(files.previous?.bytes ?? [], .current)
            try write([], .previous)
            (files.current, files.previous) = (files.previous, nil)
        }
        return current
    }

    /// Changes the files and then the current update; a failure doesn't change the state in memory.
    private func change(_ body: (inout Files) throws(CustomizationError) -> Void) throws(CustomizationError) {
        let result: Result<Void, CustomizationError> = files.withLock { files in
            do throws(CustomizationError) {
                var new = files
                try body(&new)
                files = new
                published.withLock { $0 = new.current?.update }
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
    }

    private func write(_ bytes: [UInt8], _ file: File) throws(CustomizationError) {
        do throws(FileFailure) {
            try FolderListing.create(folder)
            try AtomicFile.replace(folder + "/" + file.rawValue, with: bytes)
        } catch {
            throw CustomizationUpdate.invalid("cannot write: \(error)", folder + "/" + file.rawValue)
        }
    }
}
