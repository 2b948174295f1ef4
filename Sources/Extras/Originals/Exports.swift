@_exported import Ashlar
@_exported import AshlarAppConfig
@_exported import AshlarCustomization
@_exported import AshlarEventBus
@_exported import AshlarLogging
@_exported import AshlarModels
@_exported import AshlarNetworking
