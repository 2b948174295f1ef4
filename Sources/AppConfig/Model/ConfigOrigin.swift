/// The place a value was written: a line of a file, an environment variable, an argument, or code.
public struct ConfigOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The name people know the place by: a file name, `APP_HTTP__TIMEOUT`, `--http.timeout` or `run time`.
    public let name: String
    /// The whole path of the file, if the place is in one.
    public let file: String?
    /// The line, counted from 1; `nil` outside of text files.
    public let line: Int?
    /// The column in UTF-8 bytes, counted from 1; `nil` outside of text files.
    public let column: Int?
    /// The offset in bytes from the start of the file; `nil` outside of files.
    public let offset: Int?

    /// Creates a place.
    public init(name: String, file: String? = nil, line: Int? = nil, column: Int? = nil, offset: Int? = nil) {
        self.name = name
        self.file = file
        self.line = line
        self.column = column
        self.offset = offset
    }

    /// The place in one word, such as `ApplicationConfig.plist:12`, or `Config.plist@812` for a binary file.
    public var description: String {
        if let line { return "\(name):\(line)" }
        if let offset { return "\(name)@\(offset)" }
        return name
    }
}

/// One source of a tree, with what is needed to turn a node's position into a place.
struct ConfigSource: Sendable {
    enum Positions: Sendable {
        /// The byte offsets at which lines start; a node's position is an offset.
        case lines(ContiguousArray<UInt32>)
        /// A node's position is an offset in a file without lines.
        case offsets
        /// A node's position is an index into these names (variables, arguments).
        case names([String])
        /// Positions mean nothing.
        case none
    }

    var name: String
    var file: String?
    var positions: Positions
    /// Texts of the source are never templates.
    var isLiteral = false

    static func code(_ name: String) -> ConfigSource { ConfigSource(name: name, file: nil, positions: .none) }

    func origin(at position: UInt32) -> ConfigOrigin {
        switch positions {
        case .lines(let starts):
            let line = Self.line(of: position, in: starts)
            return ConfigOrigin(
                name: name, file: file, line: line + 1, column: Int(position - starts[line]) + 1, offset: Int(position))
        case .offsets:
            return ConfigOrigin(name: name, file: file, offset: Int(position))
        case .names(let names):
            return ConfigOrigin(name: Int(position) < names.count ? names[Int(position)] : name)
        case .none:
            return ConfigOrigin(name: name, file: file)
        }
    }

    private static func line(of position: UInt32, in starts: ContiguousArray<UInt32>) -> Int {
        var (low, high) = (0, starts.count)
        while low + 1 < high {
            let middle = (low + high) / 2
            if starts[middle] <= position { low = middle } else { high = middle }
        }
        return low
    }

    /// The offsets of all line starts; a line ends at LF, CR LF or CR.
    static func lineStarts(of bytes: UnsafeBufferPointer<UInt8>) -> ContiguousArray<UInt32> {
        var starts: ContiguousArray<UInt32> = [0]
        guard let base = bytes.baseAddress else { return starts }
        starts.reserveCapacity(bytes.count / 24 + 8)
        let count = bytes.count
        var at = 0
        while at < count {
            // Eight bytes without CR or LF are skipped in one step.
            if at + 8 <= count {
                let word = UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self)
                if !word.hasByte(10), !word.hasByte(13) {
                    at += 8
                    continue
                }
            }
            let stop = min(at + 8, count)
            while at < stop {
                let byte = base[at]
                at += 1
                if byte == 10 {
                    starts.append(UInt32(at))
                } else if byte == 13, at == count || base[at] != 10 {
                    starts.append(UInt32(at))
                }
            }
        }
        return starts
    }
}

extension UInt64 {
    /// Whether any of the eight bytes equals `byte` (the "has zero byte" test of Hacker's Delight).
    func hasByte(_ byte: UInt8) -> Bool {
        let folded = self ^ (UInt64(byte) &* 0x0101_0101_0101_0101)
        return (folded &- 0x0101_0101_0101_0101) & ~folded & 0x8080_8080_8080_8080 != 0
    }
}
