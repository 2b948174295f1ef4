#if os(Linux)
    extension CurlTransport {
        /// Opens libcurl with the transport settings of a client's configuration.
        ///
        /// - Throws: `.unsupported` if the library is missing, damaged or older than 7.68.
        public convenience init(
            _ configuration: ClientConfiguration, library: String = "libcurl.so.4"
        ) throws(NetworkError) {
            try self.init(configuration.transportWithHeaders, library: library)
        }
    }
#endif

extension URLSessionTransport {
    /// Creates a transport with the transport settings of a client's configuration.
    public convenience init(_ configuration: ClientConfiguration) { self.init(configuration.transport) }
}
