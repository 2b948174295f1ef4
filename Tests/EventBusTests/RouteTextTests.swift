import AshlarEventBus
import Testing

@Suite("Routes as text")
struct RouteTextTests {
    @Test("Of two types with one name, the place of the last one decides")
    func repeatedTypes() throws {
        func type(_ name: StaticString) -> RouteParameterType { RouteParameterType(name) { _ in true } }
        let options = RouterOptions(types: [type("a"), type("b"), type("a")])
        let table = try RouteTable(["/:x(a)", "/:y(b)"], options: options)
        #expect(try table.match("/1").pattern == "/:y(b)")
    }
}
