#if canImport(Darwin)
    import Darwin
    import Foundation
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Properties of the running process.
enum ConfigProcess {
    /// The directory of the main bundle's resources, or of the executable if there are no bundles.
    static var resourceDirectory: String {
        #if canImport(Darwin)
            return Bundle.main.resourcePath ?? Bundle.main.bundlePath
        #else
            var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = readlink("/proc/self/exe", &buffer, Int(PATH_MAX))
            guard count > 0 else { return "." }
            let path = String(decoding: buffer[0..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        #endif
    }

    /// The environment variables of the process.
    static var variables: [String: String] {
        #if canImport(Darwin)
            return ProcessInfo.processInfo.environment
        #else
            var variables: [String: String] = [:]
            var entry = environ
            while let line = entry.pointee {
                let text = String(cString: line)
                if let equals = text.firstIndex(of: "=") {
                    variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
                }
                entry += 1
            }
            return variables
        #endif
    }

    /// The main bundle's identifier; executables on Linux have none.
    static var bundleIdentifier: String? {
        #if canImport(Darwin)
            return Bundle.main.bundleIdentifier
        #else
            return nil
        #endif
    }
}
