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

    /// Appends a time.
    ///
    /// Lines of the same second reuse its text.
    @inline(__always)
    func append(_ time: LogTime, to line: ByteBuffer) {
        let thread = ThreadContext.current
        let (second, nanosecond) = time.parts
        if thread.state.pointee.printedSecond != second || thread.state.pointee.printsLocalTime != isLocal {
            print(second, on: thread)
        }
        line.append(thread.state.pointee.secondText.text)
        line.append(byte: 46)
        if hasMicroseconds {
            line.append(nanosecond / 1000, digits: 6)
        } else {
            line.append(nanosecond / 1_000_000, digits: 3)
        }
        line.append(thread.state.pointee.zoneText.text)
    }

    @inline(never)
    private func print(_ second: Int64, on thread: ThreadContext) {
        let (text, zone) = (thread.state.pointee.secondText, thread.state.pointee.zoneText)
        text.reset()
        zone.reset()
        let offset = isLocal ? SystemCalls.localOffset(at: second) : 0
        LogTime.append(second: second + Int64(offset), to: text)
        if isLocal {
            zone.append(byte: offset < 0 ? 45 : 43)
            zone.append(abs(offset) / 3600, digits: 2)
            zone.append(byte: 58)
            zone.append(abs(offset) / 60 % 60, digits: 2)
        } else {
            zone.append(byte: 90)
        }
        (thread.state.pointee.printedSecond, thread.state.pointee.printsLocalTime) = (second, isLocal)
    }
}
