extension NetworkClient {
    /// Creates a client whose endpoints follow a host switch.
    ///
    /// - Parameters:
    ///   - configuration: What all requests share.
    ///   - transport: What carries requests out; nil makes the platform's own.
    ///   - hosts: The live choice of hosts.
    public convenience init(
        _ configuration: ClientConfiguration = .init(), transport: (any NetworkTransport)? = nil, hosts: HostSwitch
    ) {
        self.init(configuration, transport: transport, hosts: hosts.resolver)
    }
}
