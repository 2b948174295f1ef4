internal import AshlarCore
internal import AshlarTrees

/// Reads JSON objects into trees.
///
/// The reader is stricter than RFC 8259: integers must fit into 64 bits, other numbers must be finite, and keys must be
/// unique.
struct JSONReader {
    private let document: JSONDocument
    private let context: ConfigReaderContext
    private let source: ConfigTreeSource
    private var builder = ConfigTreeBuilder()

    /// Reads the bytes of a file.
    static func read(_ bytes: [UInt8], _ context: ConfigReaderContext) throws(ConfigError) -> ConfigTree {
        let source = ConfigTreeSource(whole: context.location, positions: .lines(LineTable(bytes)))
        let options = JSONDocument.Options(
            depth: context.limits.depth, rejectsDuplicateKeys: true, allowsComments: context.allowsComments)
        let document: JSONDocument
        do throws(JSONSyntaxError) {
            document = try JSONDocument(bytes, options: options)
        } catch {
            throw self.error(error, source, context)
        }
        var reader = JSONReader(document: document, context: context, source: source)
        return try reader.read()
    }

    private static func error(
        _ error: JSONSyntaxError, _ source: ConfigTreeSource, _ context: ConfigReaderContext
    ) -> ConfigError {
        let location = source.location(at: UInt32(error.offset))
        if error.kind == .depth {
            return ConfigError(
                .limitExceeded, location: location,
                expected: "at most \(context.limits.depth) nested dictionaries and arrays")
        }
        let code: ConfigError.Code =
            switch error.kind {
            case .size: .limitExceeded
            case .duplicateKey: .duplicateKey
            default: .malformedSource
            }
        return ConfigError(code, key: ConfigPath(error.steps), location: location, reason: error.message)
    }

    private mutating func read() throws(ConfigError) -> ConfigTree {
        guard document.kind(at: 0) == .object else { throw failure(at: 0, expected: "an object as the root") }
        let end = document.next(after: 0)
        var ends: [Int] = []
        var position = 0
        while position < end {
            while let end = ends.last, end <= position {
                builder.close()
                ends.removeLast()
            }
            let kind = JSONTape.kind(document.word(at: position))
            if kind == JSONTape.key || kind == JSONTape.escapedKey {
                if !document.withUTF8(at: position, { builder.key($0) }) {
                    throw failure(.limitExceeded, at: position, expected: "a key of at most 65535 bytes")
                }
                position += 1
            }
            if builder.count >= context.limits.values {
                throw failure(.limitExceeded, at: position, expected: "at most \(context.limits.values) values")
            }
            try append(position)
            if builder.container == builder.count - 1 { ends.append(document.next(after: position)) }
            position += 1
        }
        while builder.container != nil { builder.close() }
        return builder.finish(sources: [source])
    }

    private mutating func append(_ position: Int) throws(ConfigError) {
        let place = offset(of: position)
        switch document.kind(at: position) {
        case .null: builder.null(position: place)
        case .bool: builder.append(.boolean, document.isTrue(at: position) ? 1 : 0, position: place)
        case .string: builder.string(document.string(at: position), position: place)
        case .array: builder.open(.array, position: place)
        case .object: builder.open(.dictionary, position: place)
        case .integer:
            if let value = document.int64(at: position) {
                builder.append(.integer, UInt64(bitPattern: value), position: place)
            } else if let value = document.uint64(at: position) {
                builder.append(.unsigned, value, position: place)
            } else {
                throw failure(at: position, expected: "a 64-bit integer", found: "a larger number")
            }
        case .fraction:
            guard let value = document.double(at: position) else {
                throw failure(at: position, expected: "a finite number", found: "a larger number")
            }
            builder.append(.real, value.bitPattern, position: place)
        }
    }

    private func offset(of position: Int) -> UInt32 { UInt32(document.range(of: position).lowerBound) }

    private func path(to position: Int) -> ConfigPath {
        var components: [ConfigPath.Component] = []
        document.walk(from: 0, to: position) { step in
            switch step {
            case .key(let position): components.append(.key(document.string(at: position)))
            case .index(let index): components.append(.index(index))
            }
        }
        return ConfigPath(components)
    }

    private func failure(
        _ code: ConfigError.Code = .malformedSource, at position: Int, expected: String, found: String? = nil
    ) -> ConfigError {
        let path = code == .limitExceeded ? .root : path(to: position)
        return ConfigError(
            code, key: path.components.isEmpty ? nil : path, location: source.location(at: offset(of: position)),
            expected: expected, found: found ?? (position == 0 ? name(of: document.kind(at: 0)) : nil))
    }

    private func name(of kind: JSONKind) -> String {
        switch kind {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .fraction: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
