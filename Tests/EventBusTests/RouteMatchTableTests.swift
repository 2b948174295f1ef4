import AshlarEventBus
import Testing

@Suite("The table of matches")
struct RouteMatchTableTests {
    static let rows = RouteRow.table(segmentTable) + RouteRow.table(urlTable)

    @Test("A path matches with the route and values of its row", arguments: rows)
    func row(_ row: RouteRow) throws {
        let table = try RouteTable(row.patterns, options: row.options)
        if let promised = row.promisedError {
            let error = routeError { _ = try table.match(row.input) }
            #expect(error?.code.description == promised.code)
            if let offset = promised.offset { #expect(error?.offset == offset) }
            #expect(!table.contains(row.input))
        } else {
            let match = try table.match(row.input)
            let values = match.parameters.description
            #expect(values.isEmpty ? match.pattern == row.outcome : "\(match.pattern) \(values)" == row.outcome)
            #expect(table.contains(row.input))
        }
    }

    @Test("The matching route doesn't depend on the order of registration", arguments: rows)
    func order(_ row: RouteRow) throws {
        guard row.patterns.count > 1 else {
            #expect(row.patterns.count == 1)
            return
        }
        func outcome(_ patterns: [String]) throws -> String {
            let table = try RouteTable(patterns, options: row.options)
            do {
                let match = try table.match(row.input)
                return "\(match.pattern) \(match.parameters)"
            } catch {
                return "\(error.code)"
            }
        }
        let first = try outcome(row.patterns)
        #expect(try outcome(row.patterns.reversed()) == first)
        #expect(try outcome(Array(row.patterns.dropFirst()) + row.patterns.prefix(1)) == first)
    }

    @Test("The table is as long as promised")
    func size() { #expect(Self.rows.count >= 300, "\(Self.rows.count) rows") }
}
