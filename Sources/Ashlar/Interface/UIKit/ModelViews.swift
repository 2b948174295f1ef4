#if canImport(UIKit) && !os(watchOS)
    public import AshlarModels
    public import UIKit

    /// A base class for views of a model, as iStructure's `ISBaseView`: ``update(_:)`` runs after each change.
    open class ModelView: ThemeView {
        /// The model that the view shows.
        public let model: Model
        private let follower = ModelFollower()

        /// Creates a view of a model.
        public init(_ model: Model) {
            self.model = model
            super.init(frame: .zero)
            follower.follow(model.observe) { [weak self] in self?.update(model) }
        }

        /// Not available: the model is code.
        public required init?(coder: NSCoder) { nil }

        /// Shows the model; override to fill the subviews.
        open func update(_ model: Model) {}
    }

    /// A base class for tables of a collection, as iStructure's `ISTableView`: the sections follow each change.
    open class CollectionTableView: ThemeTableView {
        /// The models that the table shows.
        public let models: ModelCollection
        private let source = TableDataSource()
        private let follower = ModelFollower()

        /// Creates a table of a collection.
        public init(_ models: ModelCollection, style: UITableView.Style = .plain) {
            self.models = models
            super.init(frame: .zero, style: style)
            dataSource = source
            delegate = source
            follower.follow(models.observe) { [weak self] in self?.update() }
        }

        /// Not available: the collection is code.
        public required init?(coder: NSCoder) { nil }

        /// Returns the sections for the models; override to show them.
        open func sections(_ models: ModelCollection) -> [ListSection] { [] }

        private func update() {
            source.sections = sections(models)
            reloadData()
        }
    }

    /// Runs an update on the main actor, now and after events; several events before it runs cause one update.
    @MainActor
    private final class ModelFollower {
        private var task: Task<Void, Never>?

        func follow(
            _ observe: (@escaping @Sendable (ModelEvent) -> Void) -> ModelObservation,
            update: @escaping @MainActor () -> Void
        ) {
            let (events, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let observation = observe { _ in continuation.yield() }
            task = Task {
                for await _ in events { update() }
                withExtendedLifetime(observation) {}
            }
            update()
        }

        deinit { task?.cancel() }
    }
#endif
