/// The state of a service.
public enum ServiceState: String, Hashable, Sendable, CaseIterable {
    /// The service has never been started.
    case registered
    /// The services that it needs, or the service itself, are starting.
    case starting
    /// The service is running.
    case running
    /// The service failed while it was running and will be created again after a pause.
    case restarting
    /// The service, or its cancelled start, is ending.
    case stopping
    /// The service has ended and can be started again.
    case stopped
    /// The start, the run or the stop failed; the service can be started again.
    case failed
}

/// A change of a service's state; the payload of the events `service:<name>:<state>`.
public struct ServiceChange: Sendable {
    /// The name of the service.
    public let name: String
    /// The new state.
    public let state: ServiceState
    /// The reason for a failure.
    public let error: (any Error)?
}

/// The treatment of running services that need a service to be stopped.
public enum ServiceDependants: Hashable, Sendable {
    /// The stop throws, and all services continue to run.
    case refuse
    /// These services are stopped first.
    case cascade
}

/// The policy for a ``RunningService`` that fails while it is running.
public struct ServiceRestart: Hashable, Sendable {
    let limit: Int
    let first: Duration
    let ceiling: Duration

    /// The service remains failed.
    public static let never = ServiceRestart(limit: 0, first: .zero, ceiling: .zero)

    /// Creates the service again after a pause that doubles with each failure.
    ///
    /// The number of failures is reset when the service has been running for the duration `ceiling`.
    ///
    /// - Parameters:
    ///   - limit: The number of consecutive restarts after which the service remains failed.
    ///   - first: The first pause.
    ///   - ceiling: The maximum pause.
    /// - Returns: The policy.
    /// - Precondition: `0 < limit` and `.zero < first <= ceiling`.
    public static func onFailure(
        limit: Int, first: Duration = .milliseconds(100), ceiling: Duration = .seconds(30)
    ) -> ServiceRestart {
        precondition(0 < limit, "a ServiceRestart needs a limit of at least 1, not \(limit)")
        precondition(.zero < first && first <= ceiling, "a ServiceRestart needs 0 < first <= ceiling")
        return ServiceRestart(limit: limit, first: first, ceiling: ceiling)
    }

    /// Returns the pause before a restart, whose number starts at 1.
    func pause(before restart: Int) -> Duration {
        var (pause, step) = (first, 1)
        while step < restart, pause < ceiling { (pause, step) = (pause * 2, step + 1) }
        return min(pause, ceiling)
    }
}

extension EventBusError.Code {
    /// No service is registered with the name.
    public static let unknownService = Self("unknownService")
    /// Another service is registered with the name.
    public static let duplicateService = Self("duplicateService")
    /// Services need each other or wait for each other in a cycle, which is in `trail`.
    public static let serviceCycle = Self("serviceCycle")
    /// The start, the run or the stop of the service threw; `underlying` is the error.
    public static let serviceFailed = Self("serviceFailed")
    /// The service was stopped before the start completed.
    public static let serviceStopped = Self("serviceStopped")
    /// Running services need the service; `trail` contains their names.
    public static let serviceInUse = Self("serviceInUse")
    /// The service didn't start or stop before the deadline.
    public static let serviceOverran = Self("serviceOverran")
    /// The service with the name has another type.
    package static let serviceType = Self("serviceType")
}
