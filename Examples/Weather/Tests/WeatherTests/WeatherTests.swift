import Ashlar
import Foundation
import Testing

@testable import weather

@Test func forecastComesFromTheHostOfTheFlavor() async throws {
    let stub = StubTransport(["GET /forecast/oslo": .json(#"{"celsius": -3.5, "showers": 2}"#)])
    var configuration = AshlarApp.Configuration(log: nil)
    configuration.storage = .memory
    configuration.resources = ResourceFolder(.module)
    configuration.flavor = "sunny-test"
    configuration.transport = stub
    let app = try await Weather.start(configuration)
    var shown = app.bus.events(ForecastShown.topic).makeAsyncIterator()
    await app.open("weather://city/oslo")
    #expect(stub.requests.map(\.url.description) == ["https://test.weather.example/forecast/oslo?units=metric"])
    #expect(await shown.next()?.payload.city == "oslo")
}
