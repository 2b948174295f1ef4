/// A sink that writes lines in a format; sinks with the same format share the bytes of a line.
package protocol LineSink: LogSink {
    /// The format of lines; nil if the settings of the log determine it.
    var format: LogFormat? { get }
    /// Writes a line with its line end; returns `false` if that fails.
    func write(_ line: [UInt8], of record: LogRecord) -> Bool
}

extension LineSink {
    /// Writes the line of a record in the sink's own format.
    package func writeLine(of record: LogRecord) -> Bool {
        write((format ?? .standard).compiled.line(of: record).bytes, of: record)
    }

    package func receive(_ record: LogRecord) -> Bool { writeLine(of: record) }
}
