#if os(Linux)
    import CAshlarCurl

    /// Decodes the content codings of a body and detects an early end; used on one thread.
    final class ContentDecoder {
        private enum Coding: String, CaseIterable {
            case gzip, deflate, br, zstd

            var format: Int32 {
                switch self {
                case .gzip: Int32(ASHLAR_GZIP)
                case .deflate: Int32(ASHLAR_DEFLATE)
                case .br: Int32(ASHLAR_BROTLI)
                case .zstd: Int32(ASHLAR_ZSTD)
                }
            }
        }

        /// One coding; the coding that was applied last is decoded first.
        private struct Stage {
            let inflater: OpaquePointer
            var isComplete = true  // an empty body is complete
        }

        private var stages: [Stage] = []
        private let space = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64 << 10)

        /// The codings whose libraries are available.
        static let acceptEncoding = Coding.allCases.filter { ashlar_inflater_available($0.format) != 0 }
            .map(\.rawValue).joined(separator: ", ")

        /// Creates a decoder, or nil for a body that isn't encoded.
        ///
        /// - Throws: `.corrupted` for an unknown coding and for more than three codings.
        static func make(_ headers: HTTPHeaders) throws(NetworkError) -> ContentDecoder? {
            guard headers.contains("Content-Encoding") else { return nil }
            let names = headers.list(for: "Content-Encoding").map { $0.lowercased() }.filter { $0 != "identity" }
            guard !names.isEmpty else { return nil }
            guard names.count <= 3 else {
                throw corrupted("the body is encoded \(names.count) times; at most 3 are undone")
            }
            let decoder = ContentDecoder()
            for name in names.reversed() {
                let plain = name.hasPrefix("x-") ? String(name.dropFirst(2)) : name
                guard let coding = Coding(rawValue: plain), let inflater = ashlar_inflater_open(coding.format) else {
                    throw corrupted("the body is encoded as \(HTTPSyntax.printable(name)), which can't be undone here")
                }
                decoder.stages.append(Stage(inflater: inflater))
            }
            return decoder
        }

        private init() {}

        deinit {
            for stage in stages { ashlar_inflater_close(stage.inflater) }
            space.deallocate()
        }

        /// Whether the body may end here.
        var isComplete: Bool { stages.allSatisfy(\.isComplete) }

        /// Decodes bytes and emits the result in pieces; `emit` may throw to stop.
        func decode(
            _ bytes: UnsafeRawBufferPointer, emit: (UnsafeRawBufferPointer) throws(NetworkError) -> Void
        ) throws(NetworkError) {
            try decode(Array(bytes), stage: 0, emit: emit)
        }

        private func decode(
            _ input: [UInt8], stage: Int, emit: (UnsafeRawBufferPointer) throws(NetworkError) -> Void
        ) throws(NetworkError) {
            var offset = 0
            while true {
                var (consumed, produced) = (0, 0)
                let result = input.withUnsafeBufferPointer { input in
                    ashlar_inflater_step(
                        stages[stage].inflater, input.baseAddress.map { $0 + offset }, input.count - offset, &consumed,
                        space.baseAddress, space.count, &produced)
                }
                guard result != ASHLAR_INFLATER_CORRUPTED else {
                    throw Self.corrupted("the body's compression is damaged")
                }
                stages[stage].isComplete = result == ASHLAR_INFLATER_END
                offset += consumed
                if produced > 0 {
                    let piece = UnsafeRawBufferPointer(space).part(..<produced)
                    if stage + 1 < stages.count {
                        try decode(Array(piece), stage: stage + 1, emit: emit)
                    } else {
                        try emit(piece)
                    }
                }
                if offset == input.count, produced < space.count || stages[stage].isComplete { return }
                if consumed == 0, produced == 0 { throw Self.corrupted("the body's compression makes no progress") }
            }
        }

        private static func corrupted(_ message: String) -> NetworkError {
            NetworkError(.corrupted, message, phase: .receive)
        }
    }
#endif
