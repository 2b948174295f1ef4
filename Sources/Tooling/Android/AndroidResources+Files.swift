public import AshlarCustomization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#elseif canImport(Glibc)
    import Glibc
#endif

extension AndroidResources {
    /// Takes every `values…/*.xml` file below a folder, for an import.
    ///
    /// The paths are relative to the folder, so give the one above `res`: the project's, `app/src`, or that of an export.
    /// What cannot be read is reported in ``diagnostics``. Hidden folders and folders named `build` are left out.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - maximumFileSize: Larger files are reported and left out.
    public init(folder: String, maximumFileSize: Int = 64 << 20) {
        self.init(files: [])
        collect(folder, path: "", depth: 0, limit: maximumFileSize)
    }

    private mutating func collect(_ folder: String, path: String, depth: Int, limit: Int) {
        guard depth < 32, let names = FileReading.names(in: folder) else {
            report(path.isEmpty ? folder : path, "the folder cannot be listed")
            return
        }
        let isValues = path.split(separator: "/").last?.hasPrefix("values") == true
        for name in names where !name.hasPrefix(".") {
            let (file, inner) = (folder + "/" + name, path.isEmpty ? name : path + "/" + name)
            if FileReading.status(file)?.isFolder == true {
                if name != "build" { collect(file, path: inner, depth: depth + 1, limit: limit) }
            } else if isValues, name.hasSuffix(".xml") {
                do {
                    let bytes = try FileReading.bytes(of: file, limit: limit)
                    files.append(File(path: inner, text: String(decoding: bytes, as: UTF8.self)))
                } catch {
                    report(inner, error.message)
                }
            }
        }
    }

    private mutating func report(_ path: String, _ message: String) {
        diagnostics.append(
            CustomizationDiagnostic(.error, .unreadableFile, message, at: CustomizationLocation(file: path)))
    }

    /// Writes the files below a folder; their folders are made, files that are there are replaced.
    ///
    /// - Parameter folder: The path of the folder, which is made if it is not there.
    /// - Throws: ``CustomizationError`` with the code `unwritable` and the path of the file; files before it are written.
    public func write(toFolder folder: String) throws(CustomizationError) {
        for file in files {
            var path = folder
            try Self.makeFolder(path)
            let parts = file.path.split(separator: "/")
            guard !parts.contains("..") else { throw Self.unwritable(file.path, "it leads out of the folder") }
            for part in parts.dropLast() {
                path += "/" + part
                try Self.makeFolder(path)
            }
            try Self.write(Array(file.text.utf8), to: path + "/" + (parts.last ?? "strings.xml"))
        }
    }

    private static func makeFolder(_ path: String) throws(CustomizationError) {
        guard mkdir(path, 0o777) != 0, errno != EEXIST else { return }
        throw unwritable(path, String(cString: strerror(errno)))
    }

    private static func write(_ bytes: [UInt8], to path: String) throws(CustomizationError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
        guard descriptor >= 0 else { throw unwritable(path, String(cString: strerror(errno))) }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            #if canImport(Darwin)
                let count = bytes[written...].withUnsafeBytes { Darwin.write(descriptor, $0.baseAddress, $0.count) }
            #elseif canImport(Musl)
                let count = bytes[written...].withUnsafeBytes { Musl.write(descriptor, $0.baseAddress, $0.count) }
            #else
                let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            #endif
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw unwritable(path, String(cString: strerror(errno))) }
            written += count
        }
    }

    private static func unwritable(_ path: String, _ reason: String) -> CustomizationError {
        CustomizationError(.unwritable, key: path, expected: reason)
    }
}
