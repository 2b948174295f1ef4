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
                var step = message.step(from: taken)
                var result: Int32 = 0
                let piece = [UInt8](unsafeUninitializedCapacity: message.count / 2 + 64) { space, used in
                    step.output = space.baseAddress
                    step.output_size = space.count
                    result = ashlar_deflater_step(deflater, &step)
                    used = step.produced
                    isComplete = step.produced < space.count
                }
                guard result == 0 else { return nil }
                taken += step.consumed
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
                    var step = bytes.step(from: taken)
                    step.output = space.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    step.output_size = space.count
                    let result = ashlar_inflater_step(inflater, &step)
                    guard result != ASHLAR_INFLATER_CORRUPTED else { return false }
                    taken += step.consumed
                    if step.produced > 0, !emit(UnsafeRawBufferPointer(rebasing: space[..<step.produced])) {
                        return true
                    }
                    if taken == bytes.count, step.produced < space.count { return true }
                    if step.consumed == 0, step.produced == 0 { return false }
                }
            }
        }
    }

    extension UnsafeRawBufferPointer {
        /// Returns a step that reads the bytes behind an offset.
        fileprivate func step(from offset: Int) -> ashlar_step {
            var step = ashlar_step()
            step.input = baseAddress.map { ($0 + offset).assumingMemoryBound(to: UInt8.self) }
            step.input_size = count - offset
            return step
        }
    }
#endif
