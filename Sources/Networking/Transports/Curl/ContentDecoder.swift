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
        private final class Stage {
            let inflater: OpaquePointer
            var isComplete = true  // an empty body is complete
            var input: [UInt8] = []
            var offset = 0
            /// Whether more output may follow without further input.
            var isFull = false
            let space = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 64 << 10)

            init(_ inflater: OpaquePointer) { self.inflater = inflater }

            deinit {
                ashlar_inflater_close(inflater)
                space.deallocate()
            }
        }

        private var stages: [Stage] = []

        /// The codings whose libraries are available.
        static let acceptEncoding = Coding.allCases.filter { ashlar_inflater_available($0.format) != 0 }
            .map(\.rawValue).joined(separator: ", ")

        /// Creates a decoder, or nil for a body that isn't encoded or has an unknown coding, which is passed unchanged.
        ///
        /// - Throws: `.corrupted` for a coding whose library is missing and for more than three codings.
        static func make(_ headers: HTTPHeaders) throws(NetworkError) -> ContentDecoder? {
            guard headers.contains("Content-Encoding") else { return nil }
            let names = headers.list(for: "Content-Encoding").map { $0.lowercased() }.filter { $0 != "identity" }
            guard !names.isEmpty else { return nil }
            let codings = names.map { Coding(rawValue: $0.hasPrefix("x-") ? String($0.dropFirst(2)) : $0) }
            // As browsers do: servers send `utf-8`, `none` and `aws-chunked` with plain bodies.
            guard !codings.contains(nil) else { return nil }
            guard names.count <= 3 else {
                throw corrupted("the body is encoded \(names.count) times; at most 3 are undone")
            }
            let decoder = ContentDecoder()
            for coding in codings.compactMap({ $0 }).reversed() {
                guard let inflater = ashlar_inflater_open(coding.format) else {
                    throw corrupted("the body is encoded as \(coding.rawValue), which can't be undone here")
                }
                decoder.stages.append(Stage(inflater))
            }
            return decoder
        }

        private init() {}

        /// Whether the body may end here.
        var isComplete: Bool { stages.allSatisfy(\.isComplete) }

        /// Adds bytes to decode; `next` must have returned nil before.
        func add(_ bytes: UnsafeRawBufferPointer) {
            stages[0].input.append(contentsOf: bytes)
        }

        /// Returns the next decoded bytes, or nil if further input is needed.
        ///
        /// The bytes are valid until the next call. At most 64 KiB are decoded at a time, so that the reader's demand
        /// limits how far a body is inflated.
        func next() throws(NetworkError) -> UnsafeRawBufferPointer? { try next(stages.count - 1) }

        private func next(_ index: Int) throws(NetworkError) -> UnsafeRawBufferPointer? {
            let stage = stages[index]
            while true {
                if stage.offset == stage.input.count {
                    stage.input.removeAll(keepingCapacity: true)
                    stage.offset = 0
                    if !stage.isFull {
                        guard index > 0, let piece = try next(index - 1) else { return nil }
                        stage.input.append(contentsOf: piece)
                    }
                }
                var step = ashlar_step()
                step.output = stage.space.baseAddress
                step.output_size = stage.space.count
                let result = stage.input.withUnsafeBufferPointer { input in
                    step.input = input.baseAddress.map { $0 + stage.offset }
                    step.input_size = input.count - stage.offset
                    return ashlar_inflater_step(stage.inflater, &step)
                }
                guard result != ASHLAR_INFLATER_CORRUPTED else {
                    throw Self.corrupted("the body's compression is damaged")
                }
                stage.isComplete = result == ASHLAR_INFLATER_END
                stage.offset += step.consumed
                stage.isFull = step.produced == stage.space.count && !stage.isComplete
                if step.produced > 0 { return UnsafeRawBufferPointer(stage.space).part(..<step.produced) }
                if step.consumed == 0, stage.offset < stage.input.count {
                    throw Self.corrupted("the body's compression makes no progress")
                }
            }
        }

        private static func corrupted(_ message: String) -> NetworkError {
            NetworkError(.corrupted, message, phase: .receive)
        }
    }
#endif
