internal import AshlarCore

/// The package's mutex; the alias takes precedence over the type in `Synchronization` if both are imported.
typealias Mutex = AshlarCore.Mutex
