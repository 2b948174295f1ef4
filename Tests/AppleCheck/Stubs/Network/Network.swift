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

extension NWEndpoint.Port {
    public static let any: NWEndpoint.Port = NWEndpoint.Port(rawValue: 0)!
    public var rawValue: UInt16 { 0 }
}
public enum NWError: Error, Equatable, Sendable {
    case posix(Int32)
}
public class NWParameters: @unchecked Sendable {
    public static var tcp: NWParameters { NWParameters() }
    public init() {}
    public final var requiredLocalEndpoint: NWEndpoint? {
        get { nil }
        set {}
    }
}
public final class NWListener: Sendable {
    public enum State: Sendable {
        case setup
        case waiting(NWError)
        case ready
        case failed(NWError)
        case cancelled
    }
    public init(using parameters: NWParameters) throws {}
    public final var port: NWEndpoint.Port? { nil }
    public final var stateUpdateHandler: (@Sendable (NWListener.State) -> Void)? {
        get { nil }
        set {}
    }
    public final var newConnectionHandler: (@Sendable (NWConnection) -> Void)? {
        get { nil }
        set {}
    }
    public final func start(queue: DispatchQueue) {}
    public final func cancel() {}
}
public final class NWConnection: Sendable {
    public class ContentContext: @unchecked Sendable {
        public static let defaultMessage: NWConnection.ContentContext = NWConnection.ContentContext()
        init() {}
    }
    public enum SendCompletion: Sendable {
        case contentProcessed(@Sendable (NWError?) -> Void)
        case idempotent
    }
    public final func start(queue: DispatchQueue) {}
    public final func cancel() {}
    public final func receive(
        minimumIncompleteLength: Int, maximumLength: Int,
        completion:
            @escaping @Sendable (
                _ content: Data?, _ contentContext: NWConnection.ContentContext?, _ isComplete: Bool, _ error: NWError?
            ) -> Void
    ) {}
    public final func send(
        content: Data?, contentContext: NWConnection.ContentContext = .defaultMessage, isComplete: Bool = true,
        completion: NWConnection.SendCompletion
    ) {}
}
