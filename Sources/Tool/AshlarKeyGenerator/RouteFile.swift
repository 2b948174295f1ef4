import AshlarCore
package import AshlarEventBus

/// The routes of a file by name.
package struct RouteFile {
    /// A line with a route.
    package struct Line {
        package let number: Int
        package let name: String
        package let pattern: RoutePattern
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
        let text = String(decoding: bytes, as: UTF8.self)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
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
            do throws(EventBusError) {
                lines.append(Line(number: index + 1, name: words[0], pattern: try RoutePattern(words[1])))
            } catch {
                report(error.plainText)
            }
        }
    }

    /// The routes as a table; a route that conflicts with an earlier one is removed and becomes a problem.
    package mutating func table() throws(EventBusError) -> RouteTable {
        var patterns = lines.map(\.pattern.description)
        if let table = try? RouteTable(patterns) { return table }
        let all = lines
        (lines, patterns) = ([], [])
        for line in all {
            do throws(EventBusError) {
                _ = try RouteTable(patterns + [line.pattern.description])
                patterns.append(line.pattern.description)
                lines.append(line)
            } catch {
                problems.append(Problem(number: line.number, name: line.name, text: error.plainText.onOneLine))
            }
        }
        problems.sort { $0.number < $1.number }
        return try RouteTable(patterns)
    }
}

extension EventBusError {
    /// The message without the name of the code, which is replaced by its words if nothing else states the problem.
    package var plainText: String {
        let rest = description.dropFirst("\(code) ".count)
        if expected != nil { return String(rest) }
        return "\(code)".map { $0.isUppercase ? " \($0.lowercased())" : "\($0)" }.joined() + " " + rest
    }
}
