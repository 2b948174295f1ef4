#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A failure to read or replace a file.
package struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Reason: Hashable, Sendable {
        /// A system call failed with this `errno`.
        case system(Int32)
        /// The file is a directory, pipe, socket or device.
        case notRegular
        /// The file, or a link to it, belongs to another user, or it has further names (hard links).
        case foreign
        /// The file is longer than `limit` bytes.
        case tooLarge(limit: Int)
    }

    package var path: String
    package var reason: Reason

    package init(_ path: String, _ reason: Reason) {
        self.path = path
        self.reason = reason
    }

    /// Creates a failure from the current `errno`.
    package static func last(_ path: String) -> FileFailure { FileFailure(path, .system(errno)) }

    /// Whether the file, or a directory of its path, doesn't exist.
    package var isMissing: Bool { reason == .system(ENOENT) || reason == .system(ENOTDIR) }

    /// The reason, without the path.
    package var description: String {
        switch reason {
        case .system(let code): String(cString: strerror(code))
        case .notRegular: "not a regular file"
        case .foreign: "the file or a link to it belongs to another user, or has further names (hard links)"
        case .tooLarge(let limit): "longer than the limit of \(limit) bytes"
        }
    }
}

/// Repeats a system call while signals interrupt it.
package func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
