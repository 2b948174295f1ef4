// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

// Signatures of the Apple SDK's Network, as far as they are used.

public enum NWEndpoint: Hashable, Sendable {
    public enum Host: Hashable, Sendable {
        case name(String)
        public init(_ string: String) { self = .name(string) }
    }
    public struct Port: Hashable, Sendable {
        public init?(rawValue: UInt16) {}
    }
    case hostPort(host: NWEndpoint.Host, port: NWEndpoint.Port)
}
public class NWProtocolTLS {
    public class Options {
        public init() {}
    }
}
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
public struct ProxyConfiguration: Sendable {
    public init(httpCONNECTProxy proxyEndpoint: NWEndpoint, tlsOptions: NWProtocolTLS.Options? = nil) {}
    public init(socksv5Proxy proxyEndpoint: NWEndpoint) {}
    public var allowFailover: Bool {
        get { false }
        set {}
    }
    public mutating func applyCredential(username: String, password: String) {}
}

// Foundation declares this property.
extension URLSessionConfiguration {
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    public var proxyConfigurations: [ProxyConfiguration] {
        get { [] }
        set {}
    }
}
