#if os(Linux)
    import CAshlarCurl

    /// Compresses messages with the system's zlib, as WebSockets do (RFC 7692, section 7.2.1); used by one thread at a time.
    package final class MessageDeflater {
        private let deflater: OpaquePointer

        /// Whether messages can be compressed in this process.
        package static var isAvailable: Bool { ashlar_inflater_available(Int32(ASHLAR_MESSAGES)) != 0 }

        /// Creates a compressor with a window of 2^`windowBits` bytes, or nil if zlib or memory is missing.
        ///
        /// - Precondition: `windowBits` is 9–15.
        package init?(windowBits: Int) {
            // The hash table is as large as the window.
            guard let deflater = ashlar_deflater_open(Int32(windowBits), Int32(max(windowBits - 7, 1))) else {
                return nil
            }
            self.deflater = deflater
        }

        deinit { ashlar_deflater_close(deflater) }

        /// Returns a compressed message, or nil on a failure of zlib.
        package func deflate(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
            var output: [UInt8] = []
            var taken = 0
            var isComplete = false
            while !isComplete {
                var (consumed, produced, result) = (0, 0, Int32(0))
                let piece = [UInt8](unsafeUninitializedCapacity: message.count / 2 + 64) { space, used in
                    result = ashlar_deflater_step(
                        deflater, message.bytes(from: taken), message.count - taken, &consumed, space.baseAddress,
                        space.count, &produced)
                    used = produced
                    isComplete = produced < space.count
                }
                guard result == 0 else { return nil }
                taken += consumed
                if output.isEmpty { output = piece } else { output += piece }
            }
            // The end is the same for every message, and the receiver adds it again.
            if output.suffix(4) == [0, 0, 0xFF, 0xFF] { output.removeLast(4) }
            return output.isEmpty ? [0] : output
        }
    }

    /// Inflates compressed messages with the system's zlib; used by one thread at a time.
    package final class MessageInflater {
        private let inflater: OpaquePointer

        /// The end of each message, which isn't sent.
        package static let end: [UInt8] = [0, 0, 0xFF, 0xFF]

        /// Creates an inflater for windows of every size, or nil if zlib or memory is missing.
        package init?() {
            guard let inflater = ashlar_inflater_open(Int32(ASHLAR_MESSAGES)) else { return nil }
            self.inflater = inflater
        }

        deinit { ashlar_inflater_close(inflater) }

        /// Inflates a part of a message and passes the result on, in pieces of at most 16 KiB.
        ///
        /// `emit` returns whether more is wanted. The result is whether the bytes are intact.
        package func inflate(_ bytes: UnsafeRawBufferPointer, emit: (UnsafeRawBufferPointer) -> Bool) -> Bool {
            withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { space in
                var taken = 0
                while true {
                    var (consumed, produced) = (0, 0)
                    let result = ashlar_inflater_step(
                        inflater, bytes.bytes(from: taken), bytes.count - taken, &consumed,
                        space.baseAddress?.assumingMemoryBound(to: UInt8.self), space.count, &produced)
                    guard result != ASHLAR_INFLATER_CORRUPTED else { return false }
                    taken += consumed
                    if produced > 0, !emit(UnsafeRawBufferPointer(rebasing: space[..<produced])) { return true }
                    if taken == bytes.count, produced < space.count { return true }
                    if consumed == 0, produced == 0 { return false }
                }
            }
        }
    }

    extension UnsafeRawBufferPointer {
        fileprivate func bytes(from offset: Int) -> UnsafePointer<UInt8>? {
            baseAddress.map { ($0 + offset).assumingMemoryBound(to: UInt8.self) }
        }
    }
#endif
