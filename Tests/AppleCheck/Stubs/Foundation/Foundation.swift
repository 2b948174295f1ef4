// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

@_exported import CoreFoundation
@_exported import Darwin
@_exported import Dispatch
// Signatures of the Apple SDK's Foundation, as far as they are used; the rest comes from swift-foundation.
@_exported import FoundationEssentialz
@_exported import ObjectiveC

extension Error { public var localizedDescription: String { "" } }
@inlinable public func _fixme() {}

public protocol NSCopying {}
open class NSString: NSObject, NSCopying, @unchecked Sendable {}
open class NSNumber: NSObject, @unchecked Sendable {
    public convenience init(value: Double) { fatalError() }
    public convenience init(value: Int) { fatalError() }
    open var doubleValue: Double { 0 }
}
open class NSDecimalNumber: NSNumber, @unchecked Sendable {
    public convenience init(decimal dcm: Decimal) { fatalError() }
}
open class Formatter: NSObject { public override init() { super.init() } }
open class DateFormatter: Formatter, @unchecked Sendable {
    @objc public enum Style: UInt, @unchecked Sendable { case none, short, medium, long, full }
    open func string(from date: Date) -> String { "" }
    open var dateFormat: String!
    open var dateStyle: DateFormatter.Style = .none
    open var timeStyle: DateFormatter.Style = .none
    open var locale: Locale!
    open var timeZone: TimeZone!
    open func setLocalizedDateFormatFromTemplate(_ dateFormatTemplate: String) {}
}
open class NumberFormatter: Formatter, @unchecked Sendable {
    @objc public enum Style: UInt, @unchecked Sendable { case none, decimal, currency }
    open func string(from number: NSNumber) -> String? { nil }
    open var numberStyle: NumberFormatter.Style = .none
    open var locale: Locale!
    open var currencyCode: String!
    open var minimumFractionDigits: Int = 0
    open var maximumFractionDigits: Int = 0
}
open class NSData: NSObject, @unchecked Sendable {
    public init?(contentsOfFile path: String) {}
}
open class NSArray: NSObject {
    public convenience init(array: [Any]) { fatalError() }
    open var firstObject: Any? { nil }
}
open class NSNull: NSObject, @unchecked Sendable {}
open class NSURLRequest: NSObject, @unchecked Sendable {
    @objc public enum CachePolicy: UInt, Sendable {
        case useProtocolCachePolicy = 0
        case reloadIgnoringLocalCacheData = 1
    }
}
open class NSDictionary: NSObject {
    public init(objects: [Any], forKeys keys: [any NSCopying]) {}
    open func object(forKey aKey: Any) -> Any? { nil }
}
open class NSURL: NSObject, @unchecked Sendable {}
extension URL: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSURL { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ s: NSURL, result: inout URL?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ s: NSURL, result: inout URL?) -> Bool { false }
    public static func _unconditionallyBridgeFromObjectiveC(_ s: NSURL?) -> URL { fatalError() }
}
extension Dictionary: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSDictionary { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ s: NSDictionary, result: inout Dictionary?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ s: NSDictionary, result: inout Dictionary?) -> Bool {
        false
    }
    public static func _unconditionallyBridgeFromObjectiveC(_ s: NSDictionary?) -> Dictionary { fatalError() }
}
open class NSError: NSObject, Error, @unchecked Sendable {
    public init(domain: String, code: Int, userInfo dict: [String: Any]? = nil) { fatalError() }
    open var domain: String { "" }
    open var code: Int { 0 }
    open var userInfo: [String: Any] { [:] }
}
public func _convertErrorToNSError(_ error: any Error) -> NSError { fatalError() }
public func _convertNSErrorToError(_ error: NSError?) -> any Error { fatalError() }
public let NSPOSIXErrorDomain: String = ""
public let NSUnderlyingErrorKey: String = ""
extension Data: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSData { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ s: NSData, result: inout Data?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ s: NSData, result: inout Data?) -> Bool { false }
    public static func _unconditionallyBridgeFromObjectiveC(_ s: NSData?) -> Data { fatalError() }
}
extension String: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSString { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ s: NSString, result: inout String?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ s: NSString, result: inout String?) -> Bool { false }
    public static func _unconditionallyBridgeFromObjectiveC(_ s: NSString?) -> String { fatalError() }
}
public func NSClassFromString(_ aClassName: String) -> AnyClass? { nil }
public func NSTemporaryDirectory() -> String { "" }

open class Bundle: NSObject, @unchecked Sendable {
    open class var main: Bundle { fatalError() }
    public init?(path: String) { nil }
    open var resourcePath: String? { nil }
    open var bundlePath: String { "" }
    open var bundleURL: URL { URL(fileURLWithPath: "") }
    open var executablePath: String? { nil }
    open var bundleIdentifier: String? { nil }
    open func object(forInfoDictionaryKey key: String) -> Any? { nil }
}
open class UserDefaults: NSObject {
    open class var standard: UserDefaults { fatalError() }
    public init?(suiteName suitename: String?) { nil }
    open func dictionary(forKey defaultName: String) -> [String: Any]? { nil }
    open func string(forKey defaultName: String) -> String? { nil }
    open func set(_ value: Any?, forKey defaultName: String) {}
    open func removeObject(forKey defaultName: String) {}
}
open class FileHandle: NSObject, @unchecked Sendable {
    public func readDataToEndOfFile() -> Data { fatalError() }
    open class var standardError: FileHandle { fatalError() }
    open class var standardOutput: FileHandle { fatalError() }
    public init(fileDescriptor fd: Int32, closeOnDealloc closeopt: Bool) {}
    public convenience init?(forReadingAtPath path: String) { nil }
    public convenience init?(forWritingAtPath path: String) { nil }
    public convenience init?(forUpdatingAtPath path: String) { nil }
    public func read(upToCount count: Int) throws -> Data? { nil }
    public func write(_ data: Data) {}
    public func readToEnd() throws -> Data? { nil }
    public func write<T: DataProtocol>(contentsOf data: T) throws {}
    @discardableResult public func seekToEnd() throws -> UInt64 { 0 }
    public func truncate(atOffset offset: UInt64) throws {}
    public var fileDescriptor: Int32 { 0 }
    public func close() throws {}
    public func synchronize() throws {}
}
public struct URLError: Error, Hashable, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let unknown = Code(rawValue: -1), cancelled = Code(rawValue: -999),
            badURL = Code(rawValue: -1000), unsupportedURL = Code(rawValue: -1002), timedOut = Code(rawValue: -1001),
            cannotFindHost = Code(rawValue: -1003),
            cannotConnectToHost = Code(rawValue: -1004), networkConnectionLost = Code(rawValue: -1005),
            dnsLookupFailed = Code(rawValue: -1006), notConnectedToInternet = Code(rawValue: -1009),
            badServerResponse = Code(rawValue: -1011), cannotDecodeRawData = Code(rawValue: -1015),
            cannotDecodeContentData = Code(rawValue: -1016), cannotParseResponse = Code(rawValue: -1017),
            internationalRoamingOff = Code(rawValue: -1018), callIsActive = Code(rawValue: -1019),
            dataNotAllowed = Code(rawValue: -1020),
            appTransportSecurityRequiresSecureConnection = Code(rawValue: -1022),
            dataLengthExceedsMaximum = Code(rawValue: -1103), clientCertificateRejected = Code(rawValue: -1205),
            clientCertificateRequired = Code(rawValue: -1206),
            secureConnectionFailed = Code(rawValue: -1200), serverCertificateHasBadDate = Code(rawValue: -1201),
            serverCertificateUntrusted = Code(rawValue: -1202), serverCertificateHasUnknownRoot = Code(rawValue: -1203),
            serverCertificateNotYetValid = Code(rawValue: -1204)
    }
    public let code: Code
    public init(_ code: Code, userInfo: [String: Any] = [:]) { self.code = code }
}
public struct URLRequest: Hashable, Sendable {
    public init(
        url: URL, cachePolicy: NSURLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60
    ) {}
    public var httpMethod: String? {
        get { nil }
        set {}
    }
    public var httpShouldHandleCookies: Bool {
        get { true }
        set {}
    }
    public var timeoutInterval: TimeInterval {
        get { 0 }
        set {}
    }
    public var httpBody: Data? {
        get { nil }
        set {}
    }
    public mutating func addValue(_ value: String, forHTTPHeaderField field: String) {}
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
}
extension URLRequest: _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSURLRequest { fatalError() }
    public static func _forceBridgeFromObjectiveC(_ s: NSURLRequest, result: inout URLRequest?) {}
    public static func _conditionallyBridgeFromObjectiveC(_ s: NSURLRequest, result: inout URLRequest?) -> Bool {
        false
    }
    public static func _unconditionallyBridgeFromObjectiveC(_ s: NSURLRequest?) -> URLRequest { fatalError() }
}
open class HTTPCookieStorage: NSObject, @unchecked Sendable {}
open class HTTPCookie: NSObject, @unchecked Sendable {
    public enum AcceptPolicy: UInt, Sendable { case always, never, onlyFromMainDocumentDomain }
}
open class URLCache: NSObject, @unchecked Sendable {}
open class URLCredentialStorage: NSObject, @unchecked Sendable {}
open class URLCredential: NSObject, @unchecked Sendable {
    public enum Persistence: UInt, Sendable { case none, forSession, permanent, synchronizable }
    public init(identity: SecIdentity, certificates certArray: [Any]?, persistence: URLCredential.Persistence) {}
    public init(user: String, password: String, persistence: URLCredential.Persistence) {}
    public convenience init(trust: SecTrust) { fatalError() }
}
open class URLProtectionSpace: NSObject, @unchecked Sendable {
    open var authenticationMethod: String { "" }
    open var serverTrust: SecTrust? { nil }
    open override func isProxy() -> Bool { false }
}
public let NSURLAuthenticationMethodClientCertificate: String = ""
public let NSURLAuthenticationMethodHTTPDigest: String = ""
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    open var protectionSpace: URLProtectionSpace { fatalError() }
    open var previousFailureCount: Int { 0 }
}

// Security and Core Foundation, whose types Foundation re-exports and bridges.
public typealias CFString = NSString
public typealias CFData = NSData
public typealias CFArray = NSArray
public typealias CFDictionary = NSDictionary
public typealias CFTypeRef = AnyObject
public typealias CFTypeID = UInt
public typealias OSStatus = Int32
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID { 0 }
public class SecIdentity {}
public class SecTrust {}
public class SecCertificate {}
public class CFError {}
public typealias CFAllocator = NSObject
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus { 0 }
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus { 0 }
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { false }
// Apple's result is `CFArray?`, which is bridged to an array; that isn't possible here.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> AnyObject? { nil }
public func SecCertificateCreateWithData(_ allocator: CFAllocator?, _ data: CFData) -> SecCertificate? { nil }
public func SecCertificateCopyData(_ certificate: SecCertificate) -> CFData { fatalError() }
public func SecIdentityGetTypeID() -> CFTypeID { 0 }
public var errSecSuccess: OSStatus { 0 }
public let kSecImportExportPassphrase: CFString = CFString()
public let kSecImportItemIdentity: CFString = CFString()
public let kSecImportItemCertChain: CFString = CFString()
@available(iOS, unavailable)
public let kSecImportToMemoryOnly: CFString = CFString()
public func SecPKCS12Import(
    _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus { 0 }
// swift-format-ignore: TypeNamesShouldBeCapitalized
public enum tls_protocol_version_t: UInt16, Sendable {
    case TLSv12 = 0x0303
    case TLSv13 = 0x0304
}
open class OperationQueue: NSObject, @unchecked Sendable {}
open class URLResponse: NSObject, @unchecked Sendable {}
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    open var statusCode: Int { 0 }
    open var allHeaderFields: [AnyHashable: Any] { [:] }
}
open class URLSessionTask: NSObject, @unchecked Sendable {
    open var taskIdentifier: Int { 0 }
    open var response: URLResponse? { nil }
    open func suspend() {}
    open func resume() {}
    open func cancel() {}
}
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {
    open var fetchStartDate: Date? { fatalError() }
    open var domainLookupEndDate: Date? { fatalError() }
    open var connectEndDate: Date? { fatalError() }
    open var secureConnectionEndDate: Date? { fatalError() }
    open var responseStartDate: Date? { fatalError() }
    open var responseEndDate: Date? { fatalError() }
    open var networkProtocolName: String? { fatalError() }
    open var isReusedConnection: Bool { fatalError() }
    open var countOfRequestHeaderBytesSent: Int64 { fatalError() }
    open var countOfRequestBodyBytesSent: Int64 { fatalError() }
    open var countOfResponseHeaderBytesReceived: Int64 { fatalError() }
    open var countOfResponseBodyBytesReceived: Int64 { fatalError() }
    open var localAddress: String? { fatalError() }
    open var localPort: Int? { fatalError() }
    open var remoteAddress: String? { fatalError() }
    open var remotePort: Int? { fatalError() }
    open var negotiatedTLSProtocolVersion: tls_protocol_version_t? { fatalError() }
}
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
    open var transactionMetrics: [URLSessionTaskTransactionMetrics] { fatalError() }
}
open class URLSessionDataTask: URLSessionTask, @unchecked Sendable {}
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {}
open class Stream: NSObject {
    public enum Status: UInt, Sendable { case notOpen, opening, open, reading, writing, atEnd, closed, error }
    open var streamStatus: Status { .notOpen }
    open func open() {}
    open func close() {}
    open class func getBoundStreams(
        withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?,
        outputStream: UnsafeMutablePointer<OutputStream?>?
    ) {}
}
open class InputStream: Stream {}
open class OutputStream: Stream {
    open var hasSpaceAvailable: Bool { true }
    open func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int { 0 }
}
@objc(NSURLSessionWebSocketCloseCode) public enum _WebSocketCloseCode: Int, Sendable {
    case invalid = 0
    case normalClosure = 1000
    case goingAway = 1001
    case noStatusReceived = 1005
    case abnormalClosure = 1006
}
open class URLSessionWebSocketTask: URLSessionTask, @unchecked Sendable {
    public typealias CloseCode = _WebSocketCloseCode
    public enum Message: Sendable {
        case data(Data)
        case string(String)
    }
    open var maximumMessageSize: Int = 0
    open func cancel(with closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?) {}
    open func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {}
    public func send(
        _ message: URLSessionWebSocketTask.Message, completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {}
    public func receive(
        completionHandler: @escaping @Sendable (Result<URLSessionWebSocketTask.Message, any Error>) -> Void
    ) {}
}
open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var ephemeral: URLSessionConfiguration { fatalError() }
    open var httpMaximumConnectionsPerHost: Int = 0
    open var httpShouldSetCookies = true
    open var httpCookieAcceptPolicy: HTTPCookie.AcceptPolicy = .always
    open var httpCookieStorage: HTTPCookieStorage?
    open var connectionProxyDictionary: [AnyHashable: Any]?
    open var urlCache: URLCache?
    open var urlCredentialStorage: URLCredentialStorage?
    open var requestCachePolicy: NSURLRequest.CachePolicy = .useProtocolCachePolicy
    open var timeoutIntervalForRequest: TimeInterval = 0
    open var timeoutIntervalForResource: TimeInterval = 0
    open var tlsMinimumSupportedProtocolVersion: tls_protocol_version_t {
        get { .TLSv12 }
        set {}
    }
    open var allowsCellularAccess = true
    open var allowsConstrainedNetworkAccess = true
}
@objc(NSURLSessionResponseDisposition) public enum _ResponseDisposition: Int, Sendable {
    case cancel, allow, becomeDownload, becomeStream
}
@objc(NSURLSessionAuthChallengeDisposition) public enum _AuthChallengeDisposition: Int, Sendable {
    case useCredential, performDefaultHandling, cancelAuthenticationChallenge, rejectProtectionSpace
}
open class URLSession: NSObject, @unchecked Sendable {
    public typealias ResponseDisposition = _ResponseDisposition
    public typealias AuthChallengeDisposition = _AuthChallengeDisposition
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?,
        delegateQueue queue: OperationQueue?
    ) {}
    open var configuration: URLSessionConfiguration { fatalError() }
    open func dataTask(with request: URLRequest) -> URLSessionDataTask { fatalError() }
    open func uploadTask(with request: URLRequest, fromFile fileURL: URL) -> URLSessionUploadTask { fatalError() }
    open func uploadTask(withStreamedRequest request: URLRequest) -> URLSessionUploadTask { fatalError() }
    open func webSocketTask(with request: URLRequest) -> URLSessionWebSocketTask { fatalError() }
    open func finishTasksAndInvalidate() {}
}
@objc public protocol URLSessionDelegate: NSObjectProtocol, Sendable {}
@objc public protocol URLSessionTaskDelegate: URLSessionDelegate {
    @objc optional func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)
    @objc optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @objc optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse)
    @objc optional func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
    @objc optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    @objc optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64)
    @objc optional func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}
@objc public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
    @objc optional func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    @objc optional func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)
}
@objc public protocol URLSessionWebSocketDelegate: URLSessionTaskDelegate {
    @objc optional func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?)
    @objc optional func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?)
}
open class JSONSerialization: NSObject {
    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let prettyPrinted = Self(rawValue: 1), sortedKeys = Self(rawValue: 2),
            fragmentsAllowed = Self(rawValue: 4), withoutEscapingSlashes = Self(rawValue: 8)
    }
    open class func isValidJSONObject(_ obj: Any) -> Bool { true }
    open class func data(withJSONObject obj: Any, options opt: WritingOptions = []) throws -> Data { fatalError() }
}

public struct Notification {
    public struct Name: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }
        public init(_ rawValue: String) { self.rawValue = rawValue }
    }
    public var name: Name
    public var object: Any?
    public var userInfo: [AnyHashable: Any]?
}
extension NotificationCenter {
    public func addObserver(
        forName name: Notification.Name?, object obj: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol { fatalError() }
    public func removeObserver(_ observer: Any) {}
    public func post(
        name aName: Notification.Name, object anObject: Any?, userInfo aUserInfo: [AnyHashable: Any]? = nil
    ) {}
}

// Format styles, which FoundationInternationalization contains on Linux.
extension Locale.Components { public init(identifier: String) { fatalError() } }
extension Date {
    public struct RelativeFormatStyle: Sendable {
        public struct Presentation: Sendable { public static var named: Presentation { fatalError() } }
        public struct UnitsStyle: Sendable { public static var wide: UnitsStyle { fatalError() } }
        public init(
            presentation: Presentation, unitsStyle: UnitsStyle = .wide, locale: Locale = .autoupdatingCurrent,
            calendar: Calendar = .autoupdatingCurrent
        ) { fatalError() }
        public func format(_ destDate: Date) -> String { "" }
    }
}
public enum NumberFormatStyleConfiguration {
    public struct Notation: Sendable { public static var compactName: Notation { fatalError() } }
    public struct Precision: Sendable {
        public static func fractionLength<R: RangeExpression>(_ limits: R) -> Precision where R.Bound == Int {
            fatalError()
        }
    }
}
public struct FloatingPointFormatStyle<Value: BinaryFloatingPoint>: Sendable {
    public init(locale: Locale = .autoupdatingCurrent) { fatalError() }
    public func notation(_ notation: NumberFormatStyleConfiguration.Notation) -> FloatingPointFormatStyle { self }
    public func precision(_ p: NumberFormatStyleConfiguration.Precision) -> FloatingPointFormatStyle { self }
    public func format(_ value: Value) -> String { "" }
}
extension Duration {
    public struct UnitsFormatStyle: Sendable {
        public struct Unit: Hashable, Sendable {
            public static var weeks: Unit { fatalError() }
            public static var days: Unit { fatalError() }
            public static var hours: Unit { fatalError() }
            public static var minutes: Unit { fatalError() }
            public static var seconds: Unit { fatalError() }
            public static var milliseconds: Unit { fatalError() }
        }
        public struct UnitWidth: Sendable {
            public static var wide: UnitWidth { fatalError() }
            public static var abbreviated: UnitWidth { fatalError() }
        }
        public struct FractionalPartDisplayStrategy: Sendable {
            public static var hide: FractionalPartDisplayStrategy { fatalError() }
            public static func show(length: Int) -> FractionalPartDisplayStrategy { fatalError() }
        }
        public init(
            allowedUnits: Set<Unit>, width: UnitWidth, fractionalPart: FractionalPartDisplayStrategy = .hide
        ) { fatalError() }
        public func locale(_ locale: Locale) -> UnitsFormatStyle { self }
        public func format(_ value: Duration) -> String { "" }
    }
}

#if os(macOS)
    open class Process: NSObject, @unchecked Sendable {
        public override init() { fatalError() }
        open var executableURL: URL? = nil
        open var arguments: [String]? = nil
        open var standardOutput: Any? = nil
        open var terminationStatus: Int32 { 0 }
        open func run() throws {}
        open func waitUntilExit() {}
    }
    open class Pipe: NSObject, @unchecked Sendable {
        public override init() { fatalError() }
        open var fileHandleForReading: FileHandle { fatalError() }
    }
#endif
