import Ashlar
import Foundation
import Testing

@testable import weather

@Test("A forecast comes from the host of the flavor, and the service remembers its city")
func forecast() async throws {
    let stub = StubTransport(["GET /forecast/oslo": .json(#"{"celsius": -3.5}"#)])
    var configuration = AshlarApp.Configuration(log: LogConfiguration(sinks: []))
    configuration.resources = ResourceFolder(.module)
    configuration.flavor = "sunny-test"
    configuration.transport = stub
    let weather = try await Weather(configuration)
    await weather.app.open("/forecast/oslo")
    #expect(stub.requests.map(\.url.description) == ["https://test.weather.example/forecast/oslo"])
    #expect(await weather.app.services.service(History.self)?.cities == ["oslo"])
}
