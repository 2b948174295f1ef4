internal import AshlarCore
internal import AshlarTrees
public import Foundation

// The documents of a source: what a fetch returns, and what a signature covers.
extension RemoteConfigSource {
    /// The response of a server.
    public struct Response: Sendable {
        let document: (bytes: [UInt8], version: String?, signature: [UInt8]?)?

        /// The version of the document hasn't changed.
        public static var notModified: Response { Response(document: nil) }

        /// A document, its version (such as the entity tag of the response), and its signature.
        public static func document(_ bytes: [UInt8], version: String? = nil, signature: [UInt8]? = nil) -> Response {
            Response(document: (bytes, version, signature))
        }
    }

    /// The state of a document.
    public struct Status: Sendable {
        /// The version of the accepted document.
        public let version: String?
        /// The start of the request that fetched or confirmed the accepted document; `nil` without a document.
        public let date: Date?
        /// The latest failure: of a fetch, of a document that was rejected, or of the cache file.
        public internal(set) var error: (any Error)?
    }

    /// A closure that returns whether a signature belongs to the bytes of ``signedBytes(of:name:environment:)``.
    public typealias Verification = @Sendable (_ signed: [UInt8], _ signature: [UInt8]) throws -> Bool

    /// Returns the bytes that the signature of a document covers: its name, its environment and its content, which
    /// includes its `$revision`.
    ///
    /// One key can therefore sign all documents: the signature of one isn't valid for another one, nor for another
    /// environment. The bytes are `ashlar-document 1`, the lines `name:` and `environment:` with a JSON string, or
    /// without an environment the first of them only, an empty line, and the document.
    ///
    /// ```swift
    /// let signed = RemoteConfigSource.signedBytes(of: Array("{}".utf8), name: "settings", environment: "production")
    /// print(signed.count)  // 64
    /// ```
    ///
    /// - Parameters:
    ///   - document: The content of the document.
    ///   - name: The name of the document, such as `configuration` for that of an app.
    ///   - environment: The environment whose apps accept the document; nil for apps without one.
    /// - Returns: The bytes to sign.
    public static func signedBytes(of document: [UInt8], name: String, environment: String? = nil) -> [UInt8] {
        var head = "ashlar-document 1\nname: \(JSONText.quoted(name))\n"
        if let environment { head += "environment: \(JSONText.quoted(environment))\n" }
        return Array((head + "\n").utf8) + document
    }
}

extension RemoteConfigSource.Response: CustomReflectable {
    /// A mirror without the content, which can be secret.
    public var customMirror: Mirror {
        Mirror(self, children: ["version": document?.version as Any], displayStyle: .struct)
    }
}

extension RemoteConfigSource.Status: CustomReflectable {
    /// The version, the date, and the text of the error without secrets.
    public var customMirror: Mirror {
        let text = error.map { SecretText.redacted("\($0)") }
        return Mirror(
            self,
            children: ["version": version as Any, "date": date as Any, "error": text as Any], displayStyle: .struct)
    }
}
