import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarTooling

/// Compares the placeholder rules of lint with `msgfmt -c` and `objc-format` (Debian package `gettext`).
@Suite struct GettextTests {
    static let msgfmt: String? = ["/usr/bin/msgfmt", "/usr/local/bin/msgfmt", "/opt/homebrew/bin/msgfmt"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static let pieces = [
        "%@", "%d", "%i", "%u", "%x", "%ld", "%lld", "%lu", "%f", "%.2f", "%5d", "%05d", "%-8@", "%s", "%c", "%p", "%e",
        "%%", "%1$@", "%2$@", "%1$d", "%2$d", "%3$@", "%1$lld", "%2$.1f", " and ", "of", "", "x", "100 %%", "%hd", "%g",
        "%+d", "%#x", "%*d", "%.*f", "%zu", "%qd",
    ]

    static func pairs(_ count: Int) -> [(String, String)] {
        var random = SeededRandom(seed: 7)
        func text(_ pieces: [String]) -> String { pieces.joined(separator: " ") }
        return (0..<count).map { _ in
            let base = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }
            var other = base
            switch Int.random(in: 0..<6, using: &random) {
            case 0: break
            case 1: other.shuffle(using: &random)
            case 2: other.remove(at: Int.random(in: 0..<other.count, using: &random))
            case 3: other.append(pieces.randomElement(using: &random) ?? "")
            case 4: other[Int.random(in: 0..<other.count, using: &random)] = pieces.randomElement(using: &random) ?? ""
            default:
                var scalars = Array(text(other).unicodeScalars)
                if !scalars.isEmpty { scalars.remove(at: Int.random(in: 0..<scalars.count, using: &random)) }
                return (text(base), String(String.UnicodeScalarView(scalars)))
            }
            return (text(base), text(other))
        }
    }

    /// The numbers of the pairs that msgfmt rejects.
    static func refused(_ pairs: [(String, String)], by program: String) throws -> Set<Int> {
        let tree = try TemporaryFolder([:])
        var lines = ["msgid \"\"", "msgstr \"Content-Type: text/plain; charset=UTF-8\\n\"", ""]
        var numbers: [Int: Int] = [:]
        for (number, pair) in pairs.enumerated() {
            lines += ["#, objc-format", "msgctxt \"\(number)\"", "msgid \"\(pair.0)\"", "msgstr \"\(pair.1)\"", ""]
            for line in (lines.count - 4)...lines.count { numbers[line] = number }
        }
        try tree.write(lines.joined(separator: "\n"), to: "a.po")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["--check-format", "-o", "/dev/null", "a.po"]
        process.currentDirectoryURL = URL(fileURLWithPath: tree.path)
        process.environment = ["LC_ALL": "C"]
        // A file, not a pipe, which would fill up.
        try tree.write("", to: "err")
        let errors = try #require(FileHandle(forWritingAtPath: tree.path + "/err"))
        process.standardError = errors
        try process.run()
        process.waitUntilExit()
        let output = try String(contentsOfFile: tree.path + "/err", encoding: .utf8)
        return Set(
            output.split(separator: "\n").compactMap { line in
                let parts = line.split(separator: ":", maxSplits: 2)
                guard parts.count == 3, parts[0] == "a.po" else { return nil }
                return Int(parts[1]).flatMap { numbers[$0] }
            })
    }

    @Test(
        "Lint and msgfmt report the same pairs",
        .enabled(if: msgfmt != nil, "msgfmt is not installed (Debian package gettext)"), .timeLimit(.minutes(5)))
    func agreement() throws {
        let program = try #require(Self.msgfmt)
        let pairs = Self.pairs(soaks ? 100_000 : 4_000)
            .filter { !PrintfFormat($0.0).placeholders.isEmpty && !$0.0.isEmpty && !$0.1.isEmpty }
        let refused = try Self.refused(pairs, by: program)
        // msgfmt checks nothing if the base text is not a format, not even a translation that certainly differs.
        let checked = try Self.refused(pairs.map { ($0.0, $0.0 + " %d %d") }, by: program)
        #expect(refused.count > pairs.count / 10 && refused.count < pairs.count * 9 / 10)
        var differences: [String] = []
        for (number, pair) in pairs.enumerated() where checked.contains(number) && differences.count < 20 {
            let all = FormatLintTests.findings(.string(pair.0), .string(pair.1))
            if PrintfFormat(pair.1).placeholders.contains(where: \.isAccidental) {
                // msgfmt parses the "% o" of "50% of" as a placeholder; lint reports that it looks like one.
                if !all.contains(where: { $0.code == .placeholderSuspicious }) {
                    differences.append("\(pair): nothing is said of the percent sign")
                }
                continue
            }
            let found = all.filter { $0.code != .placeholderSuspicious }
            if found.isEmpty == refused.contains(number) {
                differences.append(
                    "\(pair): msgfmt \(refused.contains(number) ? "refuses" : "accepts"), lint \(found.map(\.description))"
                )
            }
        }
        #expect(differences.isEmpty, "\(differences.joined(separator: "\n"))")
    }
}
