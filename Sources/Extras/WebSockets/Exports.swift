@_exported import AshlarNetworking
