package import AshlarCore

/// The routes of a file by name.
package struct RouteFile {
    /// A line with a route.
    package struct Line {
        package let number: Int
        package let name: String
        package let pattern: RoutePatternText

        /// Returns a problem of the route.
        package func problem(_ text: String) -> Problem {
            Problem(number: number, name: name, text: text.onOneLine)
        }
    }

    /// A line that isn't a route, or that repeats a name or the paths of another route.
    package struct Problem {
        package let number: Int
        package let name: String
        package let text: String
    }

    /// The path of the file.
    package let path: String
    /// The routes; lines with problems are left out.
    package private(set) var lines: [Line] = []
    /// The problems in the order of lines.
    package private(set) var problems: [Problem] = []

    /// Reads the text of a file.
    package init(_ bytes: [UInt8], path: String) {
        self.path = path
        var names: [String: Int] = [:]
        // CR LF is one character.
        let text = String(decoding: bytes, as: UTF8.self).unicodeScalars
        let rows = text.split(separator: "\n", omittingEmptySubsequences: false).map { String($0) }
        for (index, line) in rows.enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            if words.isEmpty || words[0].hasPrefix("#") { continue }
            func report(_ text: String) {
                problems.append(Problem(number: index + 1, name: words[0], text: text.onOneLine))
            }
            guard words.count == 2 else {
                report("expected a name and a pattern, found '\(line)'")
                continue
            }
            if let earlier = names.updateValue(index + 1, forKey: words[0]) {
                report("the route '\(words[0])' is also at line \(earlier)")
                continue
            }
            do throws(RoutePatternFault) {
                lines.append(Line(number: index + 1, name: words[0], pattern: try RoutePatternText(words[1])))
            } catch {
                let found = error.found.map { ", found " + $0 } ?? ""
                report("'\(words[1].prefix(300))' at byte \(error.offset), expected \(error.expected)" + found)
            }
        }
    }
}
