import AshlarEventBus
import FuzzHarness

/// The router's parsers: every input must return a result or throw a typed error.
let routerTargets = [
    FuzzTarget("routePattern") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        do throws(EventBusError) {
            let pattern = try RoutePattern(text)
            precondition(pattern.description == text)
            // Matching a built path must return its values.
            let values = Dictionary(uniqueKeysWithValues: pattern.parameterNames.map { ($0, "1") })
            if let path = try? pattern.path(values) {
                let read = try? RouteTable([text]).match(path).parameters.dictionary
                precondition(read == values)
            }
        } catch {
            precondition(error.offset ?? 0 <= text.utf8.count)
        }
    },
    FuzzTarget("routePath") { bytes in
        let url = String(decoding: bytes, as: UTF8.self)
        for table in tables {
            do throws(EventBusError) {
                let match = try table.match(url)
                precondition(match.parameters.dictionary.values.allSatisfy { !$0.isEmpty })
                _ = (match.query.items.count, match.fragment)
            } catch {
                precondition(error.offset ?? 0 <= url.utf8.count)
            }
            let pattern = try? table.match(url).pattern
            precondition(pattern.map { table.explain(url).hasPrefix("\(url) -> \($0)") } ?? true)
        }
    },
    FuzzTarget("routeTable") { bytes in
        // The last line is a path, the others are patterns.
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        let patterns = lines.dropLast().filter { (try? RoutePattern($0)) != nil }
        guard let table = try? RouteTable(patterns, options: RouterOptions(replacesConflicts: true)) else { return }
        _ = table.explain(lines.last ?? "")
    },
    FuzzTarget("routeQuery") { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        for table in tables {
            guard let query = try? table.match("/?" + text).query else { continue }
            let again = try? table.match("/?\(query)").query
            // An item with neither name nor value is written with `=`, so that it isn't lost.
            precondition(again?.items.count == query.items.count)
        }
    },
]

private let tables: [RouteTable] = {
    let patterns = [
        "/", "/a", "/a/:b", "/a/:b(int)/c", "/*rest", "https://h/a/:b/*rest", "app://h/:x(uuid)",
        "/d/:v(double)", "/s/:v(slug)/:w(bool)",
    ]
    let options = [
        RouterOptions(), .seed, RouterOptions(ignoresTrailingSlash: false),
    ]
    return options.compactMap { try? RouteTable(patterns, options: $0) }
}()
