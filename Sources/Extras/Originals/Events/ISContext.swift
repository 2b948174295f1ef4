// swift-format-ignore-file: AlwaysUseLowerCamelCase

internal import AshlarCore
public import AshlarEventBus

/// iStructure: the bus, the routes and the services that its commands use.
public enum IStructure {
    /// The bus of the events, which delivers them later on the main actor, in the order of the triggers.
    public static let bus: EventBus = EventBus(delivery: .queuedOnMain)
    /// The routes: letters match in any case, and a later route replaces an earlier one.
    public static let router: Router = Router(bus: bus, options: .seed)
    /// The services.
    public static let services: ServiceRegistry = ServiceRegistry(bus: bus)

    /// The context that navigates.
    @TaskLocal static var navigating: (any ISContext)?
}

/// The key of a navigation's options in the values of a controller.
public let OPTIONS_KEY: String = "options"
/// The key of a route's parameters in the values of a controller.
public let PARAMS_KEY: String = "params"
/// The values of a controller or service by name, an `NSDictionary` in iStructure.
public typealias ISValues = [String: any Sendable]
/// The block of `watch`: it receives the context as `this`, so that it doesn't have to capture it, and the event.
public typealias ISActionBlock<Context> = @MainActor @Sendable (_ this: Context, _ notif: Signal<any Sendable>) -> Void

/// Returns an empty list of observers: iStructure's `$marray()` for the property `observers`.
public func marray() -> WatchBag { WatchBag() }
/// Returns a dictionary with one value: iStructure's `$dict(key, value)`.
public func dict(_ key: String, _ value: any Sendable) -> ISValues { [key: value] }

extension Signal {
    /// The data of the event, or nil if it has none.
    public var userInfo: Payload? { payload is Void ? nil : payload }
}

/// An object with observers, whose methods are iStructure's commands without the `$`, which can't begin a name.
///
/// ```swift
/// @MainActor final class Badge: ISContext {
///     nonisolated let observers = marray()
///     init() {
///         watch("network:on") { this, notif in this.show(notif.name) }
///     }
///     func show(_ text: String) { print(text) }
/// }
/// ```
///
/// A block is called later on the main actor, in the order of the triggers. Watches and routes end with their context.
/// Class methods use ``this``.
public protocol ISContext: WatchOwner {
    /// The observers, a stored `let`.
    var observers: WatchBag { get }
    /// What shows the controllers to which the context navigates: iStructure's navigation controller; nil by default.
    var navigator: (any Navigator<any ISController>)? { get }
}

extension ISContext {
    /// The observers.
    public var watches: WatchBag { observers }
    /// No navigator.
    public var navigator: (any Navigator<any ISController>)? { nil }

    /// The class as a context: iStructure's `this` in class methods.
    public static var this: ISClass { ISClass.of(Self.self) }

    /// `$watch(message, block)`, `$watch(message, object, block)`: calls the block for a message of an object or any.
    public func watch(
        _ message: String, _ object: AnyObject? = nil, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ block: @escaping ISActionBlock<Self>
    ) {
        ResourceFile.attempt(in: "iStructure") {
            let topic = Topic(matching: try TopicPattern(parsing: message))
            IStructure.bus.watch(topic, from: object, owner: self, fileID: fileID, line: line) { this, notif in
                // The bus delivers on the main actor.
                MainActor.assumeIsolated { block(this, notif) }
            }
        }
    }

    /// `$watch(object, block)`: calls the block when an object triggers any message.
    public func watch(
        _ object: AnyObject, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ block: @escaping ISActionBlock<Self>
    ) { watch("**", object, fileID: fileID, line: line, block) }

    /// `$trigger(message)`, `$trigger(message, data)`, `$trigger(message, data, object)`: by default from the context.
    public func trigger(_ message: String, _ data: any Sendable = (), _ object: AnyObject? = nil) {
        ResourceFile.attempt(in: "iStructure") {
            try IStructure.bus.trigger(named: message, data, from: object ?? self)
        }
    }

    /// `$unwatch()`, `$unwatch(name)` and `$unwatch(name, object)`: ends the watches of a message or of all.
    public func unwatch(_ name: String? = nil, _ object: AnyObject? = nil) {
        IStructure.bus.unwatch(name, from: object, owner: self)
    }

    /// `$unwatch(object)`: ends the watches of an object.
    public func unwatch(_ object: AnyObject) { unwatch(nil, object) }

    /// `$route(pattern, block)`: calls the block for each navigation to a URL that the pattern matches.
    public func route(
        _ pattern: String, fileID: StaticString = #fileID, line: UInt32 = #line,
        _ block: @escaping @MainActor @Sendable (_ this: Self, _ navigation: Navigation) -> Void
    ) {
        ResourceFile.attempt(in: "iStructure") {
            try IStructure.router.route(pattern, owner: self, fileID: fileID, line: line) { this, navigation in
                await block(this, navigation)
            }
        }
    }

    /// `$unroute()`: removes the routes of the context.
    public func unroute() { IStructure.router.unroute(owner: self) }

    /// `$navigate(to)` and `$navigate(to, data)`: shows the controller, or calls the block, of a route.
    public func navigate(_ to: String, _ data: (any Sendable)? = nil) async throws {
        try await IStructure.$navigating.withValue(self) {
            _ = try await IStructure.router.navigate(to: to, options: data)
        }
    }

    /// `$start(name)` and `$start(name, options)`: starts a registered service, unless it is running.
    public func start(_ name: String, _ options: ISValues? = nil) async throws {
        try await IStructure.services.start(name, options ?? [:])
    }

    /// `$stop(name)` and `$stop(name, options)`: stops a service.
    public func stop(_ name: String, _ options: ISValues? = nil) async throws {
        (await IStructure.services.service(named: name) as? ISRunningService)?.options.withLock { $0 = options }
        try await IStructure.services.stop(name)
    }
}

/// A class as a context: its watches and routes remain until ``ISContext/unwatch(_:_:)`` and ``ISContext/unroute()``.
public final class ISClass: ISContext {
    private static let classes = Mutex<[ObjectIdentifier: ISClass]>([:])

    /// The observers.
    public let observers: WatchBag = marray()

    static func of(_ type: any ISContext.Type) -> ISClass {
        classes.withLock { classes in
            let known = classes[ObjectIdentifier(type)] ?? ISClass()
            classes[ObjectIdentifier(type)] = known
            return known
        }
    }
}
