#if os(Linux)
    /// Reads the body of a response: undoes chunks and compression, and counts its bytes against the limits.
    ///
    /// libcurl's own decoding isn't used: it accepts a gzip body of which the second half is missing, rejects one of several
    /// members, and inflates as much as it has received, whether or not somebody reads it.
    struct TransferBody {
        private var most: Int?
        private var mostInflation: Int?
        private var chunks: ChunkedReader?
        private var decoder: ContentDecoder?
        /// The announced length, unless the body is encoded.
        private(set) var length: Int?
        /// The number of bytes of the decoded body.
        private(set) var received = 0
        /// The number of bytes to inflate.
        private var compressed = 0
        /// The number of bytes of a body in chunks or with compression, as sent.
        private var framed = 0
        /// The number of read bytes that libcurl delivers again after a pause.
        private var reread = 0
        /// Whether bytes follow the end of the body, also if the reader had no room when they arrived.
        private var hasSurplus = false

        /// The result of `read`.
        enum Outcome {
            case read
            /// The reader has no room; libcurl delivers the bytes again.
            case full
            /// Bytes follow the end of the body.
            case surplus
        }

        /// Creates a body without a head.
        init() {}

        /// Creates the body that follows a head.
        ///
        /// - Throws: `.bodyTooLarge` for an announced length above the limit, `.corrupted` for a coding that can't be undone.
        init(
            _ head: ResponseHead, _ framing: CurlHeadReader.Framing, of request: NetworkRequest, inflates: Bool
        ) throws(NetworkError) {
            most = request.options.maximumBodyBytes
            mostInflation = request.options.maximumDecompressionRatio
            length = framing.contentLength
            guard request.method != .head, head.status != 204, head.status != 304 else { return }
            if let limit = most, let length, length > limit {
                throw ResponseBody.tooLarge(limit, "the response announces \(length) bytes")
            }
            if framing.isChunked { chunks = ChunkedReader() }
            if inflates { decoder = try ContentDecoder.make(head.headers) }
        }

        /// The number of bytes as sent, with the framing of chunks.
        var transferred: Int { chunks == nil && decoder == nil ? received : framed }

        /// The error for a body that ends here, or nil if it is complete.
        var truncation: NetworkError? {
            if chunks?.isComplete == false {
                return NetworkError(.truncated, "the body ended within its chunks", phase: .receive)
            }
            if decoder?.isComplete == false {
                return NetworkError(.truncated, "the compressed body ended early", phase: .receive)
            }
            return nil
        }

        /// Passes received bytes to the reader.
        mutating func read(_ bytes: UnsafeRawBufferPointer, into pipe: ResponsePipe) throws(NetworkError) -> Outcome {
            if chunks == nil, decoder == nil {
                guard pipe.hasRoom() else { return .full }
                try pass(bytes, to: pipe)
                return .read
            }
            // libcurl delivers the bytes again after a pause, and those that have been read are skipped.
            let known = min(reread, bytes.count)
            if known < bytes.count {
                guard pipe.hasRoom() else { return .full }
                if try unframe(bytes.part(known...), into: pipe) { hasSurplus = true }
            }
            guard try inflate(into: pipe) else {
                reread = max(reread, bytes.count)
                return .full
            }
            reread -= known
            return hasSurplus ? .surplus : .read
        }

        /// Undoes the chunks; returns whether bytes remain after the end of the body.
        private mutating func unframe(_ bytes: UnsafeRawBufferPointer, into pipe: ResponsePipe) throws(NetworkError)
            -> Bool
        {
            framed += bytes.count
            guard var reader = chunks else {
                compressed += bytes.count
                decoder?.add(bytes)
                return false
            }
            chunks = nil  // so that the reader isn't copied
            defer { chunks = reader }
            return try reader.read(bytes) { data throws(NetworkError) in
                guard let decoder else { return try pass(data, to: pipe) }
                compressed += data.count
                decoder.add(data)
            }
        }

        /// Inflates as much as the reader has room for; returns whether nothing is left.
        private mutating func inflate(into pipe: ResponsePipe) throws(NetworkError) -> Bool {
            guard let decoder else { return true }
            while pipe.hasRoom() {
                guard let piece = try decoder.next() else { return true }
                try pass(piece, to: pipe)
            }
            return false
        }

        /// Counts decoded bytes against the limits, and passes them to the reader.
        private mutating func pass(_ bytes: UnsafeRawBufferPointer, to pipe: ResponsePipe) throws(NetworkError) {
            received += bytes.count
            if let limit = most, received > limit {
                throw ResponseBody.tooLarge(limit, "the response is longer than allowed")
            }
            if let ratio = mostInflation, decoder != nil, received > 64 << 20,
                case let most = compressed.multipliedReportingOverflow(by: ratio), !most.overflow,
                received > most.partialValue
            {
                var error = NetworkError(
                    .decompressionLimit, "\(compressed) bytes received inflate to more than \(ratio) times as much",
                    phase: .receive)
                error.limit = ratio
                throw error
            }
            pipe.write(bytes)
        }
    }
#endif
