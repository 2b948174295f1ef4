#if os(Linux)
    import CAshlarCurl

    /// Texts in the form that libcurl reads: a linked list of C strings.
    ///
    /// The list is one block of memory, which later lists use again. libcurl's own function would allocate two for each text,
    /// which are ten more allocations in the row "GET ×64".
    struct CurlTextList {
        /// The texts, each with a NUL at its end.
        private var bytes: [UInt8] = []
        private var count = 0
        private var block = UnsafeMutableRawBufferPointer(start: nil, count: 0)

        /// Returns the list of a request's field lines; see ``makeList()``.
        mutating func makeFields(of transfer: CurlTransfer) -> UnsafeMutablePointer<ashlar_curl_list>? {
            removeAll()
            let headers = transfer.request.headers
            // libcurl sends this field itself, with fewer instructions, unless there is another one of this name.
            let isDefault = headers.only("Accept") == "*/*"
            for field in headers where !isDefault || field.name != "Accept" { append(field) }
            if transfer.asksForCompression { append("Accept-Encoding", ContentDecoder.acceptEncoding.utf8) }
            let hasBody = transfer.bodyKind == .memory || transfer.bodyKind == .upload
            for name in hasBody ? ["Accept", "Content-Type", "Expect"] : ["Accept"] where !headers.contains(name) {
                append(name + ":")
            }
            return makeList()
        }

        /// Appends the line of a field; each character of a value represents one byte.
        private mutating func append(_ field: HTTPField) {
            if bytes.isEmpty { bytes.reserveCapacity(256) }
            if field.value.utf8.allSatisfy({ $0 < 0x80 }) {
                append(field.name, field.value.utf8)
            } else {
                append(field.name, field.valueBytes)
            }
        }

        /// Appends the line of a field, which libcurl sends even without a value if a semicolon follows its name.
        private mutating func append(_ name: String, _ value: some Collection<UInt8>) {
            bytes.append(contentsOf: name.utf8)
            if value.isEmpty {
                append(";")
            } else {
                bytes.append(UInt8(ascii: ":"))
                bytes.append(UInt8(ascii: " "))
                bytes.append(contentsOf: value)
                end()
            }
        }

        /// Appends a text; the name of a field and a colon prevent libcurl from adding the field itself.
        mutating func append(_ text: String) {
            bytes.append(contentsOf: text.utf8)
            end()
        }

        private mutating func end() {
            bytes.append(0)
            count += 1
        }

        /// Returns the list, which exists until another one is made or `deallocate` is called.
        mutating func makeList() -> UnsafeMutablePointer<ashlar_curl_list>? {
            guard count > 0 else { return nil }
            let size = count * MemoryLayout<ashlar_curl_list>.stride
            if block.count < size + bytes.count {
                block.deallocate()
                block = .allocate(
                    byteCount: max(size + bytes.count, 512), alignment: MemoryLayout<ashlar_curl_list>.alignment)
            }
            let memory = block.baseAddress!
            let text = (memory + size).bindMemory(to: CChar.self, capacity: bytes.count)
            bytes.withUnsafeBytes {
                UnsafeMutableRawPointer(text).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
            }
            let list = memory.bindMemory(to: ashlar_curl_list.self, capacity: count)
            var (line, start) = (0, 0)
            for (position, byte) in bytes.enumerated() where byte == 0 {
                let next = line + 1 < count ? list + line + 1 : nil
                (list + line).initialize(to: ashlar_curl_list(data: text + start, next: next))
                line += 1
                start = position + 1
            }
            return list
        }

        /// Removes all texts.
        mutating func removeAll() {
            bytes.removeAll(keepingCapacity: true)
            count = 0
        }

        func deallocate() { block.deallocate() }
    }
#endif
