extension NetworkClient {
    /// Creates a client that resolves canonical hosts with a host switch.
    ///
    /// - Parameters:
    ///   - configuration: The settings shared by all requests.
    ///   - transport: The transport; nil creates the platform's default.
    ///   - hosts: The host switch.
    public convenience init(
        _ configuration: ClientConfiguration = .init(), transport: (any NetworkTransport)? = nil, hosts: HostSwitch
    ) {
        self.init(configuration, transport: transport, hosts: hosts.resolver)
    }
}
