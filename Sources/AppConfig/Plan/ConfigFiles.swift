#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads files whole through the system's own calls.
enum ConfigFiles {
    enum Outcome {
        case bytes([UInt8])
        case missing
        case failed(String)
    }

    static func read(_ path: String, limit: Int) -> Outcome {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { return errno == ENOENT || errno == ENOTDIR ? .missing : .failed(reason(errno)) }
        defer { close(descriptor) }
        var status = stat()
        if fstat(descriptor, &status) != 0 { return .failed(reason(errno)) }
        if status.st_mode & S_IFMT == S_IFDIR { return .failed("it is a directory") }
        // One byte over the limit is enough for the reader to refuse the file.
        var bytes: [UInt8] = []
        var chunk = min(max(Int(status.st_size) + 1, 4096), limit + 1)
        while bytes.count <= limit {
            var failure: Int32 = 0
            let read = [UInt8](unsafeUninitializedCapacity: chunk) { buffer, count in
                let got = systemRead(descriptor, buffer.baseAddress, chunk)
                if got < 0 { failure = errno }
                count = max(got, 0)
            }
            if failure == EINTR { continue }
            if failure != 0 { return .failed(reason(failure)) }
            if read.isEmpty { break }
            if bytes.isEmpty { bytes = read } else { bytes += read }
            chunk = min(65536, limit + 1 - min(bytes.count, limit))
        }
        return .bytes(bytes)
    }

    private static func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Darwin)
            return Darwin.read(descriptor, buffer, count)
        #elseif canImport(Glibc)
            return Glibc.read(descriptor, buffer, count)
        #else
            return Musl.read(descriptor, buffer, count)
        #endif
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
