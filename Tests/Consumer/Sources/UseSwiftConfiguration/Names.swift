import AshlarAppConfig

typealias AppValue = ConfigValue
