import Ashlar

struct GetForecast: Endpoint {
    struct Output: Decodable, Sendable { let celsius: Double }
    let city: String
    let host: EndpointHost = "api.weather.example"
    var path: EndpointPath { "forecast/\(city)" }
}

actor History: Service {
    private(set) var cities: [String] = []
    init(_ context: ServiceContext) async throws {}
    func add(_ city: String) { cities.append(city) }
}

@main struct Weather {
    let app: AshlarApp

    init(_ configuration: AshlarApp.Configuration) async throws {
        let app = try await AshlarApp.start(configuration, requires: [.configuration, .customization, .hosts])
        self.app = app
        try await app.services.register(History.self)
        let history = try await app.services.start(History.self)
        _ = try app.router.route("/forecast/:city") { navigation in
            let city: String = try navigation.parameters.value("city")
            let forecast = try await app.client.send(GetForecast(city: city))
            await history.add(city)
            print(app.customization.current.format("forecast", city, forecast.celsius))
        }
        _ = try app.router.route("/hosts/:key") { navigation in
            try app.hosts.select(navigation.parameters.value("key"), for: "api.weather.example")
            print(app.hosts.resolve("api.weather.example")?.description ?? "no host")
        }
    }

    static func main() async throws {
        var configuration = AshlarApp.Configuration(log: LogConfiguration(sinks: []))
        configuration.transport = StubTransport(["GET /forecast/oslo": .json(#"{"celsius": -3.5}"#)])
        let weather = try await Weather(configuration)
        for url in CommandLine.arguments.dropFirst() where url.hasPrefix("/") { await weather.app.open(url) }
    }
}
