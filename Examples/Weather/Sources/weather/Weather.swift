import Ashlar

struct GetForecast: Endpoint {
    struct Output: Decodable, Sendable { let celsius: Double, showers: Int }
    let city: String
    let host: EndpointHost = "api.weather.example"
    var path: EndpointPath { "forecast/\(city)" }
    let query: HTTPQuery = ["units": "metric"]
}

struct ForecastShown: Event { let city: String }

actor History: Service {
    private(set) var cities: [String] = []
    init(_ context: ServiceContext) async throws {
        _ = context.bus.watch(ForecastShown.topic, on: self) { $0.cities.append($1.payload.city) }
    }
}

@main struct Weather {
    static func start(_ configuration: AshlarApp.Configuration) async throws -> AshlarApp {
        let app = try await AshlarApp.start(configuration, requires: [.configuration, .customization, .hosts])
        try await app.services.register(History.self)
        try await app.services.start(History.self)
        _ = try app.router.route("/city/:name") { navigation in
            let city: String = try navigation.parameters.value("name")
            let forecast = try await app.client.send(GetForecast(city: city))
            let text = Strings.forecast(city: city, celsius: forecast.celsius, showers: forecast.showers)
            print(app.customization.current[text])
            app.bus.trigger(ForecastShown(city: city))
        }
        _ = try app.router.route("/hosts/:key") { navigation in
            try app.hosts.select(navigation.parameters.value("key"), for: "api.weather.example")
        }
        return app
    }

    static func main() async {
        await AshlarApp.run {
            var configuration = AshlarApp.Configuration(log: LogConfiguration(sinks: []))
            configuration.variables = "WEATHER"
            configuration.arguments = true
            configuration.transport = StubTransport(["GET /forecast/oslo": .json(#"{"celsius": -3.5, "showers": 1}"#)])
            let app = try await start(configuration)
            for url in CommandLine.arguments.dropFirst() where url.contains("/") { await app.open(url) }
            print(app.hosts.resolve("api.weather.example")?.description ?? "no host")
        }
    }
}
