#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Names of files.
package enum FileSystem {
    /// Returns a path that stays valid when the process changes its working directory.
    package static func absolutePath(_ path: String) -> String {
        guard !path.isEmpty, !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }

    /// Removes the name of a file; returns `false` if that fails.
    @discardableResult
    package static func remove(_ path: String) -> Bool { unlink(path) == 0 }

    /// Renames a file and replaces one with the new name; returns `false` if that fails.
    package static func rename(_ path: String, to other: String) -> Bool { systemRename(path, other) }
}

// Outside of the type, where the name of the system's function is not hidden.
private func systemRename(_ path: String, _ other: String) -> Bool { rename(path, other) == 0 }

/// Lists and creates folders.
package enum FolderListing {
    /// Creates a folder and its missing parents; does nothing if the folder exists.
    ///
    /// On devices, a new folder and its files are readable after the first unlock; see ``DataProtection``.
    package static func create(_ folder: String, permissions: UInt16 = 0o755) throws(FileFailure) {
        if folder.isEmpty { return }
        if mkdir(folder, mode_t(permissions)) == 0 { return DataProtection.apply(to: folder) }
        if errno == EEXIST { return }
        let failure = FileFailure.last(folder)
        guard failure.isMissing, let slash = folder.lastIndex(of: "/") else { throw failure }
        try create(String(folder[..<slash]), permissions: permissions)
        if mkdir(folder, mode_t(permissions)) == 0 { return DataProtection.apply(to: folder) }
        if errno != EEXIST { throw .last(folder) }
    }

    /// Returns the names in a folder, sorted by their bytes, without `.` and `..`, or nil if the folder can't be read.
    ///
    /// - Complexity: O(*n* log *n*) in the number of names.
    package static func names(in folder: String) -> [String]? {
        guard let stream = opendir(folder) else { return nil }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let bytes = withUnsafeBytes(of: entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let name = String(decoding: bytes, as: UTF8.self)
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
