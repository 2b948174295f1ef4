import AshlarAppConfig

let config = ApplicationConfig(["api": ["timeout": 24, "host": "api.example.com"]])
precondition(config.int(forKey: "api.timeout") == 24)
precondition(config.int(forKey: "api.retries") ?? 3 == 3)
print("AshlarAppConfig alone: \(config.explain("api.timeout"))")
