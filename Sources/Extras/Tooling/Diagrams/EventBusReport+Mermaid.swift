public import AshlarEventBus

extension EventBusReport {
    /// Returns the topics and their watchers as a Mermaid flow chart.
    ///
    /// - Parameter routes: The routes to add as a group, such as the rows of a router's table.
    /// - Returns: The chart.
    public func mermaid(routes: [String] = []) -> String {
        var lines = ["flowchart LR"]
        var nodes: [String: String] = [:]
        for (index, topic) in Self.unique(entries.map(\.watched)).enumerated() {
            nodes[topic] = "t\(index)"
            lines.append("    t\(index)([\"\(Self.escaped(topic))\"])")
        }
        let watchers = Self.unique(entries.map { $0.owner ?? $0.location.description })
        for (index, watcher) in watchers.enumerated() {
            nodes["watcher " + watcher] = "w\(index)"
            lines.append("    w\(index)[\"\(Self.escaped(watcher))\"]")
        }
        let arrows = entries.compactMap { entry -> String? in
            let watcher = "watcher " + (entry.owner ?? entry.location.description)
            guard let from = nodes[entry.watched], let to = nodes[watcher] else { return nil }
            return "    \(from) -->\(entry.hasSource ? "|one source|" : "") \(to)"
        }
        lines += Self.unique(arrows)
        if !routes.isEmpty {
            lines.append("    subgraph routes")
            lines += routes.enumerated().map { "        r\($0.offset)[\"\(Self.escaped($0.element))\"]" }
            lines.append("    end")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func unique(_ texts: [String]) -> [String] {
        var seen: Set<String> = []
        return texts.filter { seen.insert($0).inserted }
    }

    /// Escapes text for a quoted Mermaid label.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "\"", "#", "<", ">", "&", "`", "\\": escaped += "#\(character.value);"
            case "\n", "\r", "\t": escaped += " "
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
