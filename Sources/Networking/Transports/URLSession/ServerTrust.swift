internal import AshlarCore
import Foundation

#if canImport(Security)
    import Security
#endif

/// Decides whether a session may talk to a server: with the configured roots and pins, as libcurl does.
///
/// The chain must be valid for the host, up to a configured root if there are any, else up to one of the system. The key of
/// the server's own certificate must be one of the pins of the host. Keys of issuers don't satisfy a pin.
struct ServerTrust: Sendable {
    /// The certificates to trust instead of the system's roots, as DER, or nil.
    let roots: [[UInt8]]?
    private let pins: HostSettings<String>

    /// Reads the file of the roots and checks the pins.
    ///
    /// - Throws: `.invalidConfiguration` for roots that can't be read and for malformed pins.
    init(_ configuration: TransportConfiguration) throws(NetworkError) {
        pins = try HostSettings(pins: configuration.pinnedKeys)
        roots = try configuration.trustRoots.map { file throws(NetworkError) in try Self.readRoots(file) }
    }

    private static func readRoots(_ file: String) throws(NetworkError) -> [[UInt8]] {
        let text = FileManager.default.contents(atPath: file).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let certificates = certificates(in: text)
        guard certificates.isEmpty || certificates.contains(where: { publicKey(of: $0) == nil }) else {
            return certificates
        }
        throw NetworkError(
            .invalidConfiguration, "the trust roots can't be read or contain no certificate", phase: .prepare,
            key: "trustRoots", file: file)
    }

    /// Whether the system's own decision isn't enough for a URL.
    func concerns(_ url: HTTPURL) -> Bool { roots != nil || isPinned(url) }

    /// Whether the host of a URL has pins, so that a connection to another host must not be used for it.
    func isPinned(_ url: HTTPURL) -> Bool { pins[url] != nil }

    /// Returns the reason to reject a server, or nil if it is trusted.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - chain: The certificates as DER; the server's own is the first.
    ///   - isValid: Whether the system considers the chain valid for the host and the roots.
    /// - Returns: The reason.
    func rejection(of url: HTTPURL, chain: [[UInt8]], isValid: Bool) -> NetworkError? {
        guard isValid, let own = chain.first else { return untrusted("the server's certificate isn't trusted") }
        guard let allowed = pins[url] else { return nil }
        guard let key = Self.publicKey(of: own) else { return untrusted("the server's certificate is malformed") }
        let pin = "sha256//" + AshlarCore.Base64.encode(SHA256.hash(key))
        let isPinned = allowed.split(separator: ";").contains { $0 == pin }
        return isPinned ? nil : untrusted("the server's key isn't one of the pinned keys")
    }

    private func untrusted(_ message: String) -> NetworkError {
        var error = NetworkError(.certificateUntrusted, message, phase: .tls)
        error.requestState = .notSent
        return error
    }

    // MARK: Certificates

    /// Returns the certificates in a text in PEM form, as DER.
    static func certificates(in text: String) -> [[UInt8]] {
        var certificates: [[UInt8]] = []
        var rest = text[...]
        while let begin = rest.firstRange(of: "-----BEGIN CERTIFICATE-----") {
            rest = rest[begin.upperBound...]
            guard let end = rest.firstRange(of: "-----END CERTIFICATE-----") else { break }
            // Malformed ones remain, as empty ones, and are rejected.
            let body = AshlarCore.Base64.decode(rest[..<end.lowerBound].utf8, ignoringWhitespace: true)
            certificates.append(body ?? [])
            rest = rest[end.upperBound...]
        }
        return certificates
    }

    /// Returns the `SubjectPublicKeyInfo` of a certificate, or nil if the certificate is malformed (RFC 5280, section 4.1).
    static func publicKey(of certificate: [UInt8]) -> [UInt8]? {
        var outer = DERReader(certificate[...])
        guard var whole = outer.content(of: 0x30), var fields = whole.content(of: 0x30) else { return nil }
        if fields.nextTag == 0xA0 { _ = fields.element() }  // version
        // Serial number, algorithm, issuer, validity, subject.
        for tag: UInt8 in [0x02, 0x30, 0x30, 0x30, 0x30] {
            guard fields.nextTag == tag, fields.element() != nil else { return nil }
        }
        guard fields.nextTag == 0x30 else { return nil }
        return fields.element().map(Array.init)
    }
}

/// Reads the elements of a DER structure in order.
private struct DERReader {
    private var bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var nextTag: UInt8? { bytes.first }

    /// Returns the next element with its head.
    mutating func element() -> ArraySlice<UInt8>? {
        guard let (head, length) = measured() else { return nil }
        defer { bytes = bytes.dropFirst(head + length) }
        return bytes.prefix(head + length)
    }

    /// Returns a reader of the content of the next element, if it has a tag.
    mutating func content(of tag: UInt8) -> DERReader? {
        guard nextTag == tag, let (head, _) = measured(), let element = element() else { return nil }
        return DERReader(element.dropFirst(head))
    }

    private func measured() -> (head: Int, length: Int)? {
        guard let first = bytes.dropFirst().first else { return nil }
        if first < 0x80 { return bytes.count >= 2 + Int(first) ? (2, Int(first)) : nil }
        let count = Int(first & 0x7F)
        guard (1...4).contains(count), bytes.count >= 2 + count else { return nil }
        let length = bytes.dropFirst(2).prefix(count).reduce(0) { $0 << 8 | Int($1) }
        return bytes.count - 2 - count >= length ? (2 + count, length) : nil
    }
}

#if canImport(Security)
    extension ServerTrust {
        /// Returns the reason to reject the server of a challenge, or nil if it is trusted.
        func rejection(of url: HTTPURL, _ trust: SecTrust) -> NetworkError? {
            if let roots {
                let anchors = roots.compactMap { SecCertificateCreateWithData(nil, Data($0) as CFData) }
                SecTrustSetAnchorCertificates(trust, NSArray(array: anchors) as CFArray)
                SecTrustSetAnchorCertificatesOnly(trust, true)
            }
            let isValid = SecTrustEvaluateWithError(trust, nil)
            let chain = (SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? []).map { certificate in
                Array(SecCertificateCopyData(certificate) as Data)
            }
            return rejection(of: url, chain: chain, isValid: isValid)
        }
    }
#endif
