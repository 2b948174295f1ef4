/// The state file of a run: 128 bytes that identify the writer of the run and contain its outcome.
///
/// | offset | bytes | contents |
/// |---|---|---|
/// | 0 | 8 | `ASHLOGS1` |
/// | 8 | 2 + 2 | version 1, size 128 |
/// | 12 | 4 | process ID |
/// | 16 | 8 | start of the run, nanoseconds since 1970 |
/// | 24 | 8 | start of the process in its system's unit |
/// | 32 | 16 | boot identity |
/// | 48 | 1 + 1 | 0 |
/// | 50 | 38 | application, padded with zeros |
/// | 88 | 8 | FNV-1a of the bytes before |
/// | 96 | 1 | ending: 0 running, 1 clean |
/// | 97 | 1 | 0 |
/// | 98 | 1 | place of the app: 0 unknown, 1 foreground, 2 background |
/// | 104 | 8 | lines written |
/// | 112 | 8 | lines lost |
/// | 120 | 8 | end of a clean run, nanoseconds since 1970; 0 otherwise |
///
/// Numbers are little-endian. The checksum covers what doesn't change during the run. A signal handler records its signal
/// behind these bytes, at a place that only C knows.
struct RunState: Equatable {
    static let size = 128
    static let longestApplication = 38

    var processID: Int32
    var startedAt: Int64
    var processStart: UInt64
    var bootID: [UInt8]
    var application: String
    var ending = Ending.running
    var place = Place.unknown
    var lines: UInt64 = 0
    var lost: UInt64 = 0
    var endedAt: Int64 = 0

    enum Ending: Equatable {
        case running
        case clean
        /// A signal that a handler recorded; it isn't in ``bytes``.
        case signal(UInt8)
    }

    /// Where the app is, on systems that end apps in the background.
    enum Place: UInt8 {
        case unknown, foreground, background
    }

    /// Returns the name, truncated between scalars to the 38 bytes of the state file.
    static func shortened(_ application: String) -> String {
        var text = application.unicodeScalars
        while String(text).utf8.count > longestApplication { text.removeLast() }
        return String(text)
    }

    var bytes: [UInt8] {
        var out = Array("ASHLOGS1".utf8)
        Self.append(1, count: 2, to: &out)
        Self.append(UInt64(Self.size), count: 2, to: &out)
        Self.append(UInt64(UInt32(bitPattern: processID)), count: 4, to: &out)
        Self.append(UInt64(bitPattern: startedAt), to: &out)
        Self.append(processStart, to: &out)
        out += bootID.prefix(16)
        out += repeatElement(0, count: 50 - out.count)
        out += Self.shortened(application).utf8
        out += repeatElement(0, count: 88 - out.count)
        Self.append(Self.checksum(out), to: &out)
        out += [ending == .clean ? 1 : 0, 0, place.rawValue, 0, 0, 0, 0, 0]
        Self.append(lines, to: &out)
        Self.append(lost, to: &out)
        Self.append(UInt64(bitPattern: endedAt), to: &out)
        return out
    }

    private static func append(_ value: UInt64, count: Int = 8, to out: inout [UInt8]) {
        for index in 0..<count { out.add(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }

    private static func number(_ bytes: [UInt8], at offset: Int, count: Int = 8) -> UInt64 {
        var number: UInt64 = 0
        for index in 0..<count { number |= UInt64(bytes[offset + index]) << (8 * index) }
        return number
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

extension RunState {
    /// Parses a state file; returns nil if it is short, damaged or of another version.
    init?(bytes: [UInt8]) {
        guard bytes.count >= Self.size, bytes.starts(with: "ASHLOGS1".utf8),
            Self.number(bytes, at: 8, count: 2) == 1, Self.number(bytes, at: 88) == Self.checksum(Array(bytes[..<88]))
        else { return nil }
        processID = Int32(truncatingIfNeeded: Self.number(bytes, at: 12, count: 4))
        startedAt = Int64(bitPattern: Self.number(bytes, at: 16))
        processStart = Self.number(bytes, at: 24)
        bootID = Array(bytes[32..<48])
        application = String(decoding: bytes[50..<88].prefix { $0 != 0 }, as: UTF8.self)
        ending = bytes[96] == 1 ? .clean : .running
        place = Place(rawValue: bytes[98]) ?? .unknown
        lines = Self.number(bytes, at: 104)
        lost = Self.number(bytes, at: 112)
        endedAt = Int64(bitPattern: Self.number(bytes, at: 120))
    }
}
