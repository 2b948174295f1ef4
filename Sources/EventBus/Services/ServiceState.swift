/// A state in the life of a service.
public enum ServiceState: String, Hashable, Sendable, CaseIterable {
    /// The service has never been started.
    case registered
    /// The services that it needs, or the service itself, are being started.
    case starting
    /// The service runs.
    case running
    /// The service failed while it ran and is created again after a pause.
    case restarting
    /// The service, or its cancelled start, is ending.
    case stopping
    /// The service has ended and can be started again.
    case stopped
    /// The start, the run or the stop failed; the service can be started again.
    case failed
}

/// A change of a service's state: the payload of the events `service:<name>:<state>`.
public struct ServiceChange: Sendable {
    /// The name of the service.
    public let name: String
    /// The new state.
    public let state: ServiceState
    /// The reason for a failure.
    public let error: (any Error)?
}

/// What a stop does about running services that need the one to be stopped.
public enum ServiceDependants: Hashable, Sendable {
    /// Throws and leaves everything running.
    case refuse
    /// Stops them first.
    case cascade
}

/// What happens when a ``RunningService`` fails while it runs.
public struct ServiceRestart: Hashable, Sendable {
    let limit: Int
    let first: Duration
    let ceiling: Duration

    /// The service stays failed.
    public static let never = ServiceRestart(limit: 0, first: .zero, ceiling: .zero)

    /// Creates the service again after a pause that doubles with each failure.
    ///
    /// The count of failures starts again once the service has run for the duration `ceiling`.
    ///
    /// - Parameters:
    ///   - limit: The number of restarts in a row after which the service stays failed.
    ///   - first: The first pause.
    ///   - ceiling: The longest pause.
    /// - Returns: The policy.
    /// - Precondition: `0 < limit` and `.zero < first <= ceiling`.
    public static func onFailure(
        limit: Int, first: Duration = .milliseconds(100), ceiling: Duration = .seconds(30)
    ) -> ServiceRestart {
        precondition(0 < limit, "a ServiceRestart needs a limit of at least 1, not \(limit)")
        precondition(.zero < first && first <= ceiling, "a ServiceRestart needs 0 < first <= ceiling")
        return ServiceRestart(limit: limit, first: first, ceiling: ceiling)
    }

    /// Returns the pause before a restart, counted from 1.
    func pause(before restart: Int) -> Duration {
        var (pause, step) = (first, 1)
        while step < restart, pause < ceiling { (pause, step) = (pause * 2, step + 1) }
        return min(pause, ceiling)
    }
}

extension EventBusError.Code {
    /// No service is registered under the name.
    public static let unknownService = Self("unknownService")
    /// Another service is registered under the name.
    public static let duplicateService = Self("duplicateService")
    /// Services need or wait for each other in a cycle; `trail` is the cycle.
    public static let serviceCycle = Self("serviceCycle")
    /// The start, the run or the stop of the service threw; `underlying` is the error.
    public static let serviceFailed = Self("serviceFailed")
    /// A stop overtook the start.
    public static let serviceStopped = Self("serviceStopped")
    /// Running services need the one to be stopped; `trail` names them.
    public static let serviceInUse = Self("serviceInUse")
    /// The service did not start or stop before the deadline.
    public static let serviceOverran = Self("serviceOverran")
    /// The service under the name has another type.
    public static let serviceType = Self("serviceType")
}
