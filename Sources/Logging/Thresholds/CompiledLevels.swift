extension LogLevel {
    /// How many levels were compiled in: 9, unless a package trait takes the less severe ones out.
    ///
    /// A constant in the caller's code, so that with the trait a call of a level that is not among them is gone
    /// altogether, with its message.
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
