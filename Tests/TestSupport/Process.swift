#if !os(Linux) && !os(macOS)
    public import Foundation

    /// Takes the place of Foundation's class on systems where apps can't start programs.
    ///
    /// ``run()`` throws, so that a test that needs a program fails, and all others run. Like Foundation's class, a process
    /// is set up by one thread.
    public final class Process: @unchecked Sendable {
        /// Ignored.
        public var executableURL: URL?
        /// Ignored.
        public var arguments: [String]?
        /// Ignored.
        public var environment: [String: String]?
        /// Ignored.
        public var currentDirectoryURL: URL?
        /// Ignored.
        public var standardInput: Any?
        /// Ignored.
        public var standardOutput: Any?
        /// Ignored.
        public var standardError: Any?
        /// Always false.
        public let isRunning = false
        /// Always a failure.
        public let terminationStatus: Int32 = -1
        /// Never the end of a program.
        public let terminationReason: TerminationReason? = nil
        /// An ID that no process has, because tests send signals to it.
        public let processIdentifier = Int32.max

        /// A reason for the end of a program.
        public enum TerminationReason: Sendable {
            /// The program ended itself, or a signal ended it.
            case exit, uncaughtSignal
        }

        /// Creates a process that can't run.
        public init() {}

        /// Throws an error.
        public func run() throws { throw CocoaError(.featureUnsupported) }

        /// Returns at once.
        public func waitUntilExit() {}
    }
#endif
