internal import AshlarCore
public import AshlarEventBus
public import AshlarModels

/// A class that starts with the values of a navigation, which are those for ``PARAMS_KEY`` and ``OPTIONS_KEY``.
public protocol ISStartable: ISContext {
    /// Starts for a navigation by a context without a navigator.
    @MainActor static func startWithValues(_ passedIn: ISValues)
}

/// A controller, which is created for a navigation and shown by the navigator of the context that navigates.
public protocol ISController: ISStartable {
    /// Creates the controller: `initWithValues:`.
    @MainActor init(values passedIn: ISValues)
}

extension ISController {
    /// Does nothing: the controller is shown only by contexts with a navigator.
    @MainActor public static func startWithValues(_ passedIn: ISValues) {}

    /// `$routec(pattern)` and `$routec(pattern, action)`: registers the class for the URLs that a pattern matches.
    ///
    /// The action, such as `{ $0.edit() }`, is called with each new controller before it is shown.
    public static func routec(_ pattern: String, _ action: (@MainActor @Sendable (Self) -> Void)? = nil) {
        this.register(pattern) { navigation in
            guard let navigator = IStructure.navigating?.navigator else {
                return await startWithValues(navigation.values)
            }
            let controller = await MainActor.run {
                let controller = Self(values: navigation.values)
                action?(controller)
                return controller
            }
            try await navigator.show(controller, for: navigation)
        }
    }
}

extension ISStartable {
    /// `$routec(pattern)`: registers the class for the URLs that a pattern matches.
    public static func routec(_ pattern: String) {
        this.register(pattern) { await startWithValues($0.values) }
    }
}

extension ISClass {
    fileprivate func register(_ pattern: String, _ action: @escaping @Sendable (Navigation) async throws -> Void) {
        ResourceFile.attempt(in: "iStructure") {
            try IStructure.router.route(pattern, owner: self) { _, navigation in try await action(navigation) }
        }
    }
}

extension Navigation {
    /// The parameters and options by the keys of iStructure, each only if there are any.
    public var values: ISValues {
        var values: ISValues = [:]
        let parameters = parameters.dictionary
        if !parameters.isEmpty { values[PARAMS_KEY] = parameters }
        if let options { values[OPTIONS_KEY] = options }
        return values
    }
}

/// A service, which ``ISContext/start(_:_:)`` starts by its name.
public protocol ISService: ISContext {
    /// Starts the service; the options are nil if there are none.
    @MainActor static func startWithOptions(_ options: ISValues?)
    /// Stops the service; by default, does nothing.
    @MainActor static func stopWithOptions(_ options: ISValues?)
}

extension ISService {
    /// Does nothing.
    @MainActor public static func stopWithOptions(_ options: ISValues?) {}

    /// `$register(name)`: registers the class; Swift has no `+load`, so an app calls this when it starts.
    public static func register(_ name: String) async throws {
        try await IStructure.services.register(name) { context in
            await startWithOptions(context.options.isEmpty ? nil : context.options)
            return ISRunningService { await stopWithOptions($0) }
        }
    }
}

/// The running service of a class in the registry.
final class ISRunningService: Service {
    private let end: @Sendable (ISValues?) async -> Void
    /// The options of the stop.
    let options = Mutex<ISValues?>(nil)

    init(_ end: @escaping @Sendable (ISValues?) async -> Void) { self.end = end }

    convenience init(_ context: ServiceContext) async throws { self.init { _ in } }

    func stop() async throws { await end(options.withLock { $0 }) }
}

/// iStructure's model, whose kind is a `ModelSchema` instead of a subclass.
public typealias ISModel = Model
/// iStructure's collection of models.
public typealias ISCollection = ModelCollection
/// iStructure's synchronization by JSON over HTTP.
public typealias ISBasicSync = RESTSync

#if canImport(UIKit) && !os(watchOS)
    public import Ashlar

    /// iStructure's view controller, which `Router.route(_:to:controller:)` creates.
    public typealias ISViewController = RoutedViewController
    /// iStructure's table view controller, which `Router.route(_:to:controller:)` creates.
    public typealias ISTableViewController = RoutedTableViewController
    /// iStructure's view of a model.
    public typealias ISBaseView = ModelView
    /// iStructure's table of a collection.
    public typealias ISTableView = CollectionTableView

    extension RoutedViewController: ISContext {
        /// The watches of the controller.
        public nonisolated var observers: WatchBag { watches }
    }

    extension RoutedTableViewController: ISContext {
        /// The watches of the controller.
        public nonisolated var observers: WatchBag { watches }
    }
#endif
