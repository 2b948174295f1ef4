/// A format of configuration files.
///
/// Property lists and JSON are recognized by their contents. A plan assigns other formats to extensions:
///
/// ```swift
/// /// Lines such as `http.timeout = 30`.
/// struct LinesFormat: ConfigFormat {
///     func document(from bytes: [UInt8], limits: ConfigLimits) throws -> ConfigDocument {
///         var document = ConfigDocument()
///         let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
///         for (number, line) in lines.enumerated() where !line.isEmpty {
///             guard let equals = line.firstIndex(of: "=") else {
///                 throw ConfigError.malformed("expected key = value", line: number + 1)
///             }
///             let key = String(line[..<equals].filter { $0 != " " })
///             try document.set(.string(String(line[equals...].dropFirst(2))), at: ConfigPath(key), line: number + 1)
///         }
///         return document
///     }
/// }
///
/// var plan = ConfigPlan(files: .memory(["ApplicationConfig.lines": "http.timeout = 30"]))
/// plan.formats["lines"] = LinesFormat()
/// print(try ApplicationConfig.load(plan).int(forKey: "http.timeout", default: 10))  // 30
/// ```
public protocol ConfigFormat: Sendable {
    /// Reads the bytes of a file.
    ///
    /// - Parameters:
    ///   - bytes: The content of the file, at most `limits.bytes` bytes.
    ///   - limits: The limits of the document.
    /// - Returns: The values of the file.
    /// - Throws: ``ConfigError``, such as ``ConfigError/malformed(_:line:column:)``, or any other error. The loader
    ///   adds the file's name.
    func document(from bytes: [UInt8], limits: ConfigLimits) throws -> ConfigDocument
}

extension ConfigError {
    /// Creates an error with a position in a file; the loader adds the file's name.
    public static func malformed(_ reason: String, line: Int = 0, column: Int = 0) -> ConfigError {
        ConfigError(.malformedSource, location: ConfigLocation(file: "", line: line, column: column), reason: reason)
    }

    /// Returns the error of a format or a source, with its file.
    static func reading(_ error: any Error, of file: ConfigLocation, _ code: Code = .malformedSource) -> ConfigError {
        guard var found = error as? ConfigError else {
            // The description of another type's error may quote a secret.
            var wrapped = ConfigError(code, location: file, reason: "the source cannot be read")
            wrapped.underlying = error
            return wrapped
        }
        found.location = (found.location ?? ConfigLocation(file: "")).placed(in: file)
        return found
    }
}
