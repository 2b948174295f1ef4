import Foundation

/// Writes the body of a request to a stream from which a session reads.
///
/// The stream has a small buffer, so the body is read only as fast as it is sent.
struct BodyWriter: Sendable {
    /// The size of the stream's buffer.
    static let capacity = 512 << 10
    /// The pause until a full buffer is tried again; a stream's events would need a run loop and thus a thread.
    private static let pause = Duration.milliseconds(5)

    // One task uses the stream, in `write(_:length:)`; `OutputStream` isn't Sendable.
    nonisolated(unsafe) private let stream: OutputStream

    init(_ stream: OutputStream) { self.stream = stream }

    /// Writes a body and closes the stream.
    ///
    /// - Throws: `.invalidBody` for a body of another length, the errors of the body, and `.cancelled`. A stream that its
    ///   reader has closed is no error, because the session reports the reason.
    func write(_ body: RequestBody, length: Int?) async throws(NetworkError) {
        stream.open()
        defer { stream.close() }
        let reader = try body.makeReader()
        do {
            var sent = 0
            while let piece = try await reader.next() {
                sent += piece.count
                if let length, sent > length { break }
                guard try await write(piece) else { return }
            }
            // A sequence ends early when its task is cancelled.
            try Task.checkCancellation()
            if let length, length != sent {
                throw NetworkError(
                    .invalidBody, "expected a body of \(length) bytes, found \(sent > length ? "more" : "\(sent)")",
                    phase: .send)
            }
        } catch {
            throw NetworkError(wrapping: error, as: .invalidBody, phase: .send)
        }
    }

    /// Writes a piece; returns false if the reader has closed the stream.
    private func write(_ piece: [UInt8]) async throws -> Bool {
        var rest = piece[...]
        while !rest.isEmpty {
            while !stream.hasSpaceAvailable {
                if stream.streamStatus != .open { return false }
                try await Task.sleep(for: Self.pause)
            }
            let count = rest.withUnsafeBytes { bytes in
                // The pointer isn't empty.
                bytes.bindMemory(to: UInt8.self).baseAddress.map { stream.write($0, maxLength: bytes.count) } ?? 0
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
