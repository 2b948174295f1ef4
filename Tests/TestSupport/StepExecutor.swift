internal import AshlarCore

/// Runs the jobs of tasks only when a test asks for it, so that the test knows when its tasks wait.
///
/// A test that only yields can't tell a task that waits from a task that hasn't begun.
public final class StepExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    /// Creates an executor without jobs.
    public init() {}

    /// Keeps a job until the next ``run()``.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs all jobs, in order of arrival, until every task on the executor waits or has ended.
    public func run() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
