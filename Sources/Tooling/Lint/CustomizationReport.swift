public import AshlarCustomization

/// What a lint found, for people and for machines.
public struct CustomizationReport: Sendable {
    /// The findings, by file and line.
    public var diagnostics: [CustomizationDiagnostic]

    /// Creates a report.
    ///
    /// - Parameter diagnostics: The findings; they are sorted by file, line and column, and repeats are left out.
    public init(_ diagnostics: [CustomizationDiagnostic]) {
        var seen: Set<CustomizationDiagnostic> = []
        self.diagnostics = diagnostics.filter { seen.insert($0).inserted }.sorted {
            ($0.file, $0.line, $0.column, $0.code.rawValue, $0.message)
                < ($1.file, $1.line, $1.column, $1.code.rawValue, $1.message)
        }
    }

    /// How many findings are errors.
    public var errorCount: Int { diagnostics.count { $0.severity == .error } }
    /// How many findings are warnings.
    public var warningCount: Int { diagnostics.count { $0.severity == .warning } }
    /// Whether a program should exit with a failure: there are errors.
    public var hasErrors: Bool { errorCount > 0 }

    /// The findings one per line, as compilers print them, and a last line that counts them.
    public var text: String {
        let lines = diagnostics.map { $0.description + "\n" }.joined()
        return lines + "\(errorCount) errors, \(warningCount) warnings, "
            + "\(diagnostics.count - errorCount - warningCount) notes\n"
    }

    /// The findings as SARIF 2.1.0 (OASIS), which code hosts and editors read.
    public var sarif: String {
        let rules = Set(diagnostics.map(\.code.rawValue)).sorted()
        let results = diagnostics.map { finding in
            let message = finding.message + (finding.fix.map { "; \($0)" } ?? "")
            return "        {\"ruleId\": \(JSONText.quoted(finding.code.rawValue)), "
                + "\"ruleIndex\": \(rules.firstIndex(of: finding.code.rawValue) ?? 0), "
                + "\"level\": \"\(finding.severity)\", \"message\": {\"text\": \(JSONText.quoted(message))}, "
                + "\"locations\": [\(Self.sarif(finding.location))]"
                + (finding.related.map { ", \"relatedLocations\": [\(Self.sarif($0))]" } ?? "") + "}"
        }
        return """
            {
              "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
              "version": "2.1.0",
              "runs": [{
                "tool": {"driver": {"name": "AshlarCustomization", "rules": [\
            \(rules.map { "{\"id\": \(JSONText.quoted($0))}" }.joined(separator: ", "))]}},
                "columnKind": "unicodeCodePoints",
                "results": [
            \(results.joined(separator: ",\n"))
                ]
              }]
            }

            """
    }
}

extension CustomizationReport {
    private static func sarif(_ location: CustomizationLocation) -> String {
        var region = ""
        if location.line > 0 {
            region =
                ", \"region\": {\"startLine\": \(location.line)"
                + (location.column > 0 ? ", \"startColumn\": \(location.column)" : "") + "}"
        }
        return "{\"physicalLocation\": {\"artifactLocation\": {\"uri\": "
            + "\(JSONText.quoted(JSONText.uri(location.file)))}\(region)}}"
    }
}

/// Writes texts into JSON.
enum JSONText {
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\0"..."\u{1F}":
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    /// A path as a relative or absolute URI reference (RFC 3986).
    static func uri(_ path: String) -> String {
        var uri = ""
        for byte in path.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                uri.unicodeScalars.append(Unicode.Scalar(byte))
            default: uri += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return uri
    }
}
