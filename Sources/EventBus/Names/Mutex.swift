internal import AshlarCore

/// The package's mutex; the alias decides between it and the one of `Synchronization` where both are imported.
typealias Mutex = AshlarCore.Mutex
