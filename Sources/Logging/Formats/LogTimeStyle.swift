/// The format of a line's time (RFC 3339).
public struct LogTimeStyle: Hashable, Sendable {
    /// Whether times are in the local time zone with its offset, such as `+01:00`; otherwise they are in UTC with `Z`.
    public var isLocal: Bool
    /// Whether times have six digits after the second; otherwise they have three.
    public var hasMicroseconds: Bool

    /// Creates a style; by default in UTC with milliseconds.
    public init(isLocal: Bool = false, hasMicroseconds: Bool = false) {
        (self.isLocal, self.hasMicroseconds) = (isLocal, hasMicroseconds)
    }

    /// Where the digits after the second begin: `2026-11-20T13:22:32.` comes before them.
    private static let fractionStart = 20

    private var code: UInt8 { (isLocal ? 1 : 0) + (hasMicroseconds ? 2 : 0) }

    /// Appends a time.
    ///
    /// The thread retains the text of the last time; in lines of the same second only the digits after the second differ.
    /// They are written into the line, because a copy of bytes that were just written would wait for them.
    @inline(__always)
    func append(_ time: LogTime, to line: ByteBuffer) {
        let thread = ThreadContext.current
        let (second, nanosecond) = time.parts
        if thread.state.pointee.printedSecond != second || thread.state.pointee.printedTimeStyle != code {
            print(second, on: thread)
        }
        let fraction = line.count + Self.fractionStart
        line.append(thread.state.pointee.timeText.text)
        if hasMicroseconds {
            line.overwrite(nanosecond / 1000, digits: 6, at: fraction)
        } else {
            line.overwrite(nanosecond / 1_000_000, digits: 3, at: fraction)
        }
    }

    @inline(never)
    private func print(_ second: Int64, on thread: ThreadContext) {
        let text = thread.state.pointee.timeText
        text.reset()
        let offset = isLocal ? SystemCalls.localOffset(at: second) : 0
        LogTime.append(second: second + Int64(offset), to: text)
        text.append(byte: 46)
        text.append(repeating: 48, count: hasMicroseconds ? 6 : 3)
        if isLocal {
            text.append(byte: offset < 0 ? 45 : 43)
            text.append(abs(offset) / 3600, digits: 2)
            text.append(byte: 58)
            text.append(abs(offset) / 60 % 60, digits: 2)
        } else {
            text.append(byte: 90)
        }
        (thread.state.pointee.printedSecond, thread.state.pointee.printedTimeStyle) = (second, code)
    }
}
