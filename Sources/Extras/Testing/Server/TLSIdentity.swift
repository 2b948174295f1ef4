internal import AshlarCore
internal import CAshlarTesting

/// A key and a self-signed certificate of a server on this machine, for connections with TLS.
package final class TLSIdentity: Sendable {
    // Unsafe because it is a pointer; OpenSSL permits several threads to create streams of one context, which nothing
    // changes.
    nonisolated(unsafe) fileprivate let tls: OpaquePointer
    /// The certificate in PEM form.
    package let certificate: String
    /// The pin of the certificate's key.
    package let pin: String

    /// Creates an identity, or nil without OpenSSL 3.
    package init?() {
        var pem = [CChar](repeating: 0, count: 4096)
        var key = [UInt8](repeating: 0, count: 512)
        var (pemSize, keySize) = (pem.count, key.count)
        guard let tls = ashlar_tls_open(&pem, &pemSize, &key, &keySize) else { return nil }
        self.tls = tls
        certificate = String(decoding: pem.prefix(pemSize).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        pin = "sha256//" + Base64.encode(SHA256.hash(Array(key.prefix(keySize))))
    }

    deinit { ashlar_tls_close(tls) }
}

/// The server's side of one connection with TLS; used by one thread.
final class TLSStream {
    private let stream: OpaquePointer
    private let identity: TLSIdentity

    /// Performs the handshake; returns nil if it fails.
    init?(_ identity: TLSIdentity, _ descriptor: Int32) {
        guard let stream = ashlar_tls_accept(identity.tls, descriptor) else { return nil }
        self.stream = stream
        self.identity = identity
    }

    deinit { ashlar_tls_free(stream) }

    func read(_ space: UnsafeMutableRawBufferPointer) -> Int {
        Int(ashlar_tls_read(stream, space.baseAddress, Int32(clamping: space.count)))
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        Int(ashlar_tls_write(stream, bytes.baseAddress, Int32(clamping: bytes.count)))
    }

    /// Sends the end of the stream.
    func finish() { ashlar_tls_finish(stream) }
}
