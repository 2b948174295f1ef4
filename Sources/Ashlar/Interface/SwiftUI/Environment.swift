#if canImport(SwiftUI)
    public import SwiftUI

    private struct AppKey: EnvironmentKey {
        static let defaultValue: ObservableApp? = nil
    }

    extension EnvironmentValues {
        /// The app whose snapshots the views below read, or nil: `.environment(\.ashlar, app)` sets it.
        ///
        /// UIKit has the same value as a trait; see `UITraitCollection.ashlar`.
        public var ashlar: ObservableApp? {
            get { self[AppKey.self] }
            set { self[AppKey.self] = newValue }
        }
    }

    #if canImport(UIKit) && !os(watchOS)
        public import UIKit

        /// The trait that corresponds to the value of the environment.
        struct AppTrait: UITraitDefinition {
            static let defaultValue: ObservableApp? = nil
        }

        extension AppKey: UITraitBridgedEnvironmentKey {
            static func read(from traitCollection: UITraitCollection) -> ObservableApp? { traitCollection.ashlar }

            static func write(to mutableTraits: inout any UIMutableTraits, value: ObservableApp?) {
                mutableTraits.ashlar = value
            }
        }

        extension UITraitCollection {
            /// The app whose snapshots a view reads, or nil.
            public var ashlar: ObservableApp? { self[AppTrait.self] }
        }

        extension UIMutableTraits {
            /// The app whose snapshots the views below read: set `window.traitOverrides.ashlar`, also for views of SwiftUI.
            public var ashlar: ObservableApp? {
                get { self[AppTrait.self] }
                set { self[AppTrait.self] = newValue }
            }
        }
    #endif
#endif
