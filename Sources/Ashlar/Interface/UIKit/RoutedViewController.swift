#if canImport(UIKit) && !os(watchOS)
    public import AshlarEventBus
    public import UIKit

    /// A view controller that a route creates, as iStructure's controllers.
    @MainActor
    public protocol RoutedController: UIViewController {
        /// Creates the controller for a navigation, whose parameters and options describe what it shows.
        init(_ navigation: Navigation) throws
    }

    /// Pushes the controllers of routes on a navigation controller.
    public struct StackNavigator: Navigator {
        private let stack: UINavigationController

        /// Creates a navigator.
        public init(_ stack: UINavigationController) { self.stack = stack }

        /// Pushes a controller.
        public func show(_ place: UIViewController, for navigation: Navigation) async throws {
            await MainActor.run { stack.pushViewController(place, animated: true) }
        }
    }

    extension Router {
        /// Registers a controller for the URLs that a pattern matches, as iStructure's `$routec`.
        ///
        /// - Throws: `EventBusError` for a malformed pattern or a conflict.
        @discardableResult
        public func route<Controller: RoutedController>(
            _ pattern: String, to navigator: StackNavigator, controller: Controller.Type
        ) throws(EventBusError) -> Watch {
            try route(pattern, to: navigator) { navigation in
                try await MainActor.run { () throws -> UIViewController in try Controller(navigation) }
            }
        }
    }

    /// A base class for routed controllers, as iStructure's `ISViewController`: its watches end with it.
    open class RoutedViewController: UIViewController, RoutedController, WatchOwner {
        /// The navigation that created the controller.
        public let navigation: Navigation
        /// The watches of the controller; they end with it.
        public nonisolated let watches: WatchBag = WatchBag()

        /// Creates the controller for a navigation.
        public required init(_ navigation: Navigation) throws {
            self.navigation = navigation
            super.init(nibName: nil, bundle: nil)
        }

        /// Not available: a route creates the controller.
        public required init?(coder: NSCoder) { nil }
    }

    /// A base class for routed tables, as iStructure's `ISTableViewController`; override `sections()`.
    open class RoutedTableViewController: SectionsController, RoutedController, WatchOwner {
        /// The navigation that created the controller.
        public let navigation: Navigation
        /// The watches of the controller; they end with it.
        public nonisolated let watches: WatchBag = WatchBag()

        /// Creates the controller for a navigation.
        public required init(_ navigation: Navigation) throws {
            self.navigation = navigation
            super.init { [] }
        }

        /// Not available: a route creates the controller.
        public required init?(coder: NSCoder) { nil }
    }
#endif
