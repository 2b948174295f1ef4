public import AshlarAppConfig
internal import AshlarCore

#if canImport(CoreText)
    public import CoreText
#endif
#if canImport(UIKit)
    public import UIKit
#endif

/// NEIApplicationConfig: the configuration of a store, under the names of its Swift and Objective-C declarations.
///
/// ```swift
/// let config = NEIApplicationConfig.defaults()
/// config.set(object: true, forKey: "IS_AWESOME_API")
/// print(config.get(booleanForKey: "IS_AWESOME_API", defaultValue: false))  // true
/// ```
///
/// A value that is set is never saved. All copies of a configuration, and all results of ``defaults()``, share their
/// values. Files merge at the root only, and strings are read as by `NSString`: `ConfigMergePolicy.seed` and
/// `ConfigCoercion.seed`.
public struct NEIApplicationConfig: Sendable {
    /// The store with the values.
    public let store: ConfigStore

    /// Creates a configuration with the values of a store, such as that of an `AshlarApp`.
    public init(_ store: ConfigStore) { self.store = store }

    private static let given = Mutex<ConfigStore?>(nil)
    private static let loaded: ConfigStore = {
        var plan = ConfigPlan()
        plan.merge = .seed
        plan.coercion = .seed
        return ConfigStore(loadingBestEffort: plan)
    }()

    /// The configuration of the main bundle's files, which are loaded on first use.
    ///
    /// Sources with errors are left out; see `errors` of the ``store``.
    public static func defaults() -> NEIApplicationConfig { NEIApplicationConfig(given.withLock { $0 } ?? loaded) }

    /// Makes ``defaults()`` return the values of another store.
    public static func setDefaults(_ store: ConfigStore) { given.withLock { $0 = store } }

    /// Sets a value, or removes it if it is nil.
    @discardableResult
    public func set(object: ConfigValue?, forKey key: String) -> NEIApplicationConfig {
        // A key is one key of the root, also with dots.
        store.update { $0[ConfigPath([.key(key)])] = object }
        return self
    }

    /// Reads a value: `config.get(stringForKey: "KEY")`, and so on.
    public var get: NEIReader { NEIReader(config: store.current) }
    /// Reads a value of the defaults: `NEIApplicationConfig.get(stringForKey: "KEY")`, and so on.
    public static var get: NEIReader { defaults().get }

    /// Returns the keys of the root.
    public func keys() -> [String] { store.current.allKeys }

    /// A value; setting it is the same as ``set(object:forKey:)``.
    public subscript(key: String) -> ConfigValue? {
        get { get(objectForKey: key) }
        nonmutating set { set(object: newValue, forKey: key) }
    }

    /// Sets a value of the defaults, or removes it if it is nil.
    @discardableResult
    public static func set(value: ConfigValue?, key: String) -> NEIApplicationConfig {
        defaults().set(object: value, forKey: key)
    }
    /// Returns the keys of the defaults.
    public static func keys() -> [String] { defaults().keys() }

    /// Returns the defaults with a scope such as `beta::servers` merged over the root.
    public static func with(scope: String?) -> NEIApplicationConfig {
        let config = defaults().store.current
        return NEIApplicationConfig(ConfigStore(scope.map { config.scoped(to: ConfigPath($0)) } ?? config))
    }
    /// Returns the defaults with root keys replaced.
    public static func with(dictionary: [String: ConfigValue]?) -> NEIApplicationConfig {
        NEIApplicationConfig(ConfigStore(defaults().store.current.merging(dictionary ?? [:], policy: .seed)))
    }
}

/// The calls of `NEIApplicationConfig.get` and of an instance's `get`.
public struct NEIReader: Sendable {
    fileprivate let config: ApplicationConfig

    /// Returns a value, or nil.
    public func callAsFunction(objectForKey key: String) -> ConfigValue? { config[ConfigPath(key)] }
    /// Returns a value, or the default.
    public func callAsFunction(objectForKey key: String, defaultValue: ConfigValue) -> ConfigValue {
        config[ConfigPath(key)] ?? defaultValue
    }
    /// Returns a string, or nil.
    public func callAsFunction(stringForKey key: String) -> String? { config.string(forKey: key) }
    /// Returns a string, or the default.
    public func callAsFunction(stringForKey key: String, defaultValue: String) -> String {
        config.string(forKey: key) ?? defaultValue
    }
    /// Returns a class by its name, or the one with the default name if there is one, or nil.
    public func callAsFunction(classForKey key: String, defaultValue: String? = nil) -> AnyClass? {
        config.type(forKey: key)
            ?? defaultValue.flatMap { ApplicationConfig(["name": .string($0)]).type(forKey: "name") }
    }
    /// Returns a boolean, or the default: the instance method's label.
    public func callAsFunction(booleanForKey key: String, defaultValue: Bool) -> Bool {
        config.bool(forKey: key) ?? defaultValue
    }
    /// Returns a boolean, or the default: the class method's label.
    public func callAsFunction(boolforKey key: String, defaultValue: Bool) -> Bool {
        config.bool(forKey: key) ?? defaultValue
    }
    /// Returns an integer, or the default.
    public func callAsFunction(intForKey key: String, defaultValue: Int) -> Int {
        config.int(forKey: key) ?? defaultValue
    }
    /// Returns a number, or the default: the class method's label.
    public func callAsFunction(floatForKey key: String, defaultValue: Float) -> Float {
        config.value(forKey: key, as: Float.self) ?? defaultValue
    }
    /// Returns a number, or the default: the instance method's label.
    public func callAsFunction(floatForKey key: String, value: Float) -> Float {
        config.value(forKey: key, as: Float.self) ?? value
    }
}

// The fonts of `font.<name>.name` and `font.<name>.size`; by default Arial at 12 points.
extension NEIApplicationConfig {
    #if canImport(UIKit)
        /// Returns a font.
        public func font(named name: String) -> UIFont? { store.current.font(named: name).uiFont }
        /// Returns a font of the defaults.
        public static func font(named name: String) -> UIFont? { defaults().font(named: name) }
    #else
        /// Returns a font.
        public func font(named name: String) -> FontSpec? { store.current.font(named: name) }
        /// Returns a font of the defaults.
        public static func font(named name: String) -> FontSpec? { defaults().font(named: name) }
    #endif
    #if canImport(CoreText)
        /// Returns a font of Core Text.
        public func createFont(withName name: String) -> CTFont? { store.current.font(named: name).ctFont }
        /// Returns a font of Core Text of the defaults.
        public static func createFont(withName name: String) -> CTFont? { defaults().createFont(withName: name) }
    #endif
}
