extension LogLevel {
    /// The number of levels in the program: 9, unless a package trait removes the less severe ones.
    ///
    /// The value is constant in the caller's code, so that the compiler removes calls of the other levels with their
    /// messages.
    @inlinable
    @inline(__always)
    static var compiledCount: UInt8 {
        #if AshlarLogUpToError
            3
        #elseif AshlarLogUpToWarning
            4
        #elseif AshlarLogUpToInformation
            5
        #elseif AshlarLogUpToLogging
            6
        #elseif AshlarLogUpToDebugging
            7
        #else
            9
        #endif
    }
}
