@_exported import AshlarTesting
