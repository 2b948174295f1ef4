import AshlarAppConfig

let config = ApplicationConfig(["api": ["timeout": 24, "host": "api.example.com"]])
precondition(config.int(forKey: "api.timeout", default: 10) == 24)
precondition(config.int(forKey: "api.retries", default: 3) == 3)
print("AshlarAppConfig alone: \(config.explain("api.timeout"))")
