internal import AshlarCore

/// A problem at a place of a text, for which the diagnostic has a line and column.
struct SourceProblem: Error {
    /// The offset in the text's UTF-8.
    var offset: Int
    var severity = CustomizationDiagnostic.Severity.error
    var code: CustomizationDiagnostic.Code
    var message: String
    var fix: String?
    /// The start of the statement, if it is on another line.
    var related: Int?
}

/// The text of one file as UTF-8, which converts offsets to lines and columns.
final class SourceText: Sendable {
    let file: String
    let utf8: [UInt8]
    /// Whether the bytes aren't text; `utf8` is then the text before the first such byte.
    let isRejected: Bool
    private let decodingProblems: [SourceProblem]
    /// Whether the file has lines; a binary file has none.
    private let hasLines: Bool
    /// The lines, and the number of characters before each block of bytes.
    private struct Places {
        static let block = 256
        let lines: LineTable
        let characters: [UInt32]

        init(_ utf8: [UInt8]) {
            lines = LineTable(utf8)
            var (count, characters) = (UInt32(0), [UInt32]())
            characters.reserveCapacity(utf8.count / Self.block + 1)
            for (offset, byte) in utf8.enumerated() {
                if offset % Self.block == 0 { characters.append(count) }
                if byte & 0xC0 != 0x80 { count += 1 }
            }
            if utf8.count % Self.block == 0 { characters.append(count) }
            self.characters = characters
        }

        func count(before offset: Int, in utf8: [UInt8]) -> Int {
            let block = offset / Self.block
            return Int(characters[block]) + utf8[(block * Self.block)..<offset].count { $0 & 0xC0 != 0x80 }
        }
    }

    /// Created on first use.
    private let places = Mutex<Places?>(nil)

    private init(file: String, utf8: [UInt8], decoding: TextDecoding? = nil, hasLines: Bool = true) {
        self.file = file
        self.utf8 = utf8
        self.hasLines = hasLines
        isRejected = decoding?.isRejected ?? false
        decodingProblems = decoding?.problems ?? []
    }

    convenience init(bytes: [UInt8], file: String) {
        let decoding = TextDecoding(bytes)
        self.init(file: file, utf8: decoding.utf8, decoding: decoding)
    }

    /// Creates the text of a binary file or of values without a file; all locations are the file itself.
    convenience init(withoutLines file: String) { self.init(file: file, utf8: [], hasLines: false) }

    /// The problems found while decoding the bytes.
    var diagnostics: [CustomizationDiagnostic] { decodingProblems.map { diagnostic($0) } }

    /// Returns a problem of the text as a diagnostic.
    func diagnostic(_ problem: SourceProblem, key: String? = nil) -> CustomizationDiagnostic {
        CustomizationDiagnostic(
            problem.severity, problem.code, problem.message, at: location(ofByte: problem.offset), key: key,
            fix: problem.fix, related: problem.related.map { location(ofByte: $0) })
    }

    /// Returns the line and column of a byte of `utf8`.
    ///
    /// - Complexity: O(*n*) for the first call, then O(log *lines*), whatever the length of the line.
    func location(ofByte offset: Int) -> CustomizationLocation {
        guard hasLines else { return CustomizationLocation(file: file) }
        let places = places.withLock { places in
            if let places { return places }
            let made = Places(utf8)
            places = made
            return made
        }
        let offset = min(max(offset, 0), utf8.count)
        let place = places.lines.position(of: offset)
        let column =
            place.column <= Places.block
            ? utf8[(offset - place.column + 1)..<offset].count { $0 & 0xC0 != 0x80 } + 1
            : places.count(before: offset, in: utf8) - places.count(before: offset - place.column + 1, in: utf8) + 1
        return CustomizationLocation(file: file, line: place.line, column: column)
    }
}
