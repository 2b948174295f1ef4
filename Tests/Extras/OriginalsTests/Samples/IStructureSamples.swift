import AshlarOriginals
import Testing

/// iStructure's example of a controller's base class.
@MainActor class ISSampleViewController: ISController {
    nonisolated let observers = marray()
    let options: (any Sendable)?
    let params: [String: String]?
    var shownRoutes: [String] = []

    required convenience init(values passedIn: ISValues) { self.init(nibName: nil, bundle: nil, andValues: passedIn) }

    init(nibName nibNameOrNil: String?, bundle nibBundleOrNil: String?, andValues passedInValues: ISValues) {
        options = passedInValues[OPTIONS_KEY]
        params = passedInValues[PARAMS_KEY] as? [String: String]
        for (key, block) in routes() {
            route(key, block)
        }
    }

    func routes() -> [String: @MainActor @Sendable (ISSampleViewController, Navigation) -> Void] { [:] }

    deinit {
        unwatch()
    }
}

/// A navigation controller.
private struct NavigationStack: Navigator {
    let shown: AsyncStream<any ISController>.Continuation
    func show(_ place: any ISController, for navigation: Navigation) async throws { shown.yield(place) }
}

/// A context with a navigation controller, or without one.
private final class Context: ISContext {
    let observers = marray()
    let navigator: (any Navigator<any ISController>)?
    init(_ navigator: (any Navigator<any ISController>)? = nil) { self.navigator = navigator }
}

extension Samples {
    @Suite @MainActor struct IStructureSamples {
        private final class Thing: Sendable {}

        private let this = Context()
        private let lines: AsyncStream<String>
        private let log: AsyncStream<String>.Continuation

        init() {
            (lines, log) = AsyncStream.makeStream(of: String.self)
        }

        /// Returns the lines that are logged until all earlier events are handled.
        private func logged() async -> [String] {
            this.watch("samples:end") { [log] _, _ in log.yield("end") }
            this.trigger("samples:end")
            var result: [String] = []
            for await line in lines {
                if line == "end" { break }
                result.append(line)
            }
            this.unwatch("samples:end")
            return result
        }

        // MARK: Service

        @Test("NetworkStateService: register, start with and without options, watch, and stop")
        func service() async throws {
            let (changes, continuation) = AsyncStream.makeStream(of: Bool.self)
            UIApplication.shared.changes = continuation
            NetworkStateService.receivedOptions = []
            try await NetworkStateService.load()
            try await this.start("net_state")
            #expect(NetworkStateService.singleton != nil)
            var visible = changes.makeAsyncIterator()
            this.trigger("network:on")
            #expect(await visible.next() == true)
            this.trigger("network:on")
            #expect(await visible.next() == true)
            this.trigger("network:off")
            #expect(await visible.next() == true)
            this.trigger("network:off")
            #expect(await visible.next() == false)
            try await this.stop("net_state")
            #expect(NetworkStateService.singleton == nil)
            try await this.start("net_state", dict("limit", 3))
            try await this.stop("net_state", dict("reason", "test"))
            let options = NetworkStateService.receivedOptions
            #expect(options.map { $0 == nil } == [true, true, false, false])
            #expect(options.map { $0?["limit"] as? Int } == [nil, nil, 3, nil])
            #expect(options.map { $0?["reason"] as? String } == [nil, nil, nil, "test"])
        }

        @Test("A service that isn't registered is an error")
        func unknownService() async {
            await #expect(throws: EventBusError.self) { try await this.start("nobody") }
        }

        // MARK: $watch, $trigger, $unwatch

        @Test("$watch: of a message, of a message of an object, and of all messages of an object")
        func watch() async {
            let model = Thing()
            this.watch("samples:change") { [log] this, notif in log.yield("message \(notif.name)") }
            this.watch("samples:change", model) { [log] this, notif in log.yield("of model \(notif.name)") }
            this.watch(model) { [log] this, notif in log.yield("any of model \(notif.name)") }
            this.trigger("samples:change")
            #expect(await logged() == ["message samples:change"])
            this.trigger("samples:change", (), model)
            this.trigger("samples:remove", (), model)
            #expect(
                await logged() == [
                    "message samples:change", "of model samples:change", "any of model samples:change",
                    "any of model samples:remove",
                ])
            this.unwatch()
        }

        @Test("$trigger: without data, with data, and from an object")
        func trigger() async {
            let model = Thing()
            this.watch("samples:fetch") { [log] this, notif in
                let data = notif.userInfo as? [String: Int]
                log.yield("\(data?["page"] ?? 0) \(notif.userInfo == nil) \(notif.isFrom(this)) \(notif.isFrom(model))")
            }
            this.trigger("samples:fetch")
            this.trigger("samples:fetch", ["page": 2])
            this.trigger("samples:fetch", ["page": 3], model)
            #expect(await logged() == ["0 true true false", "2 false true false", "3 false false true"])
            this.unwatch()
        }

        @Test(
            "$unwatch: all, by name, by name and object, by object",
            arguments: [
                ("all", []), ("name", ["b", "b of model"]), ("both", ["a", "b", "b of model"]), ("object", ["a", "b"]),
            ] as [(String, [String])])
        func unwatch(variant: String, left: [String]) async {
            let model = Thing()
            this.watch("samples:a") { [log] _, _ in log.yield("a") }
            this.watch("samples:a", model) { [log] _, _ in log.yield("a of model") }
            this.watch("samples:b") { [log] _, _ in log.yield("b") }
            this.watch("samples:b", model) { [log] _, _ in log.yield("b of model") }
            switch variant {
            case "all": this.unwatch()
            case "name": this.unwatch("samples:a")
            case "both": this.unwatch("samples:a", model)
            default: this.unwatch(model)
            }
            this.trigger("samples:a", (), model)
            this.trigger("samples:b", (), model)
            #expect(await logged() == left)
            this.unwatch()
        }

        @Test("The watches of a released context end, and a malformed message is logged")
        func released() async throws {
            defer { endLog() }
            let folder = try SampleFolder()
            startLog(in: folder)
            var context: Context? = Context()
            context?.watch("samples:a") { [log] _, _ in log.yield("a") }
            context = nil
            this.trigger("samples:a")
            #expect(await logged().isEmpty)
            this.trigger("")
            #expect(LogSystem.liveLog.hasPrefix("[ERROR] iStructure - "))
        }

        // MARK: $routec, $route, $navigate, $unroute

        private final class NoteController: ISSampleViewController {
            var isEditing = false
            func edit() { isEditing = true }
        }

        /// A controller that also starts without a navigation controller.
        @MainActor private final class ListController: ISController {
            static var started: [ISValues] = []
            nonisolated let observers = marray()
            init(values passedIn: ISValues) {}
            static func startWithValues(_ passedIn: ISValues) { started.append(passedIn) }
        }

        /// A class with `startWithValues:` alone.
        @MainActor private final class Locator: ISStartable {
            static var started: [ISValues] = []
            nonisolated let observers = marray()
            static func startWithValues(_ passedIn: ISValues) { started.append(passedIn) }
        }

        /// A controller with a route of its own.
        private final class RoutesController: ISSampleViewController {
            override func routes() -> [String: @MainActor @Sendable (ISSampleViewController, Navigation) -> Void] {
                ["/notes/:id/shown": { this, navigation in this.shownRoutes.append(navigation.parameters["id"] ?? "") }]
            }
        }

        @Test("$routec(@\"/notes/:id\") and $navigate(@\"/notes/5\"): the controller with its params is on the stack")
        func routec() async throws {
            let (shown, continuation) = AsyncStream.makeStream(of: (any ISController).self)
            let navigating = Context(NavigationStack(shown: continuation))
            NoteController.routec("/notes/:id")
            NoteController.routec("/notes")
            NoteController.routec("/notes/:id/edit") { $0.edit() }
            defer { NoteController.this.unroute() }
            func next() async throws -> NoteController {
                var controller: (any ISController)?
                for await next in shown {
                    controller = next
                    break
                }
                return try #require(controller as? NoteController)
            }
            try await navigating.navigate("/notes/5")
            let note = try await next()
            #expect(note.params == ["id": "5"] && note.options == nil && !note.isEditing)
            try await navigating.navigate("/notes", dict("title", "Simple Notes"))
            let list = try await next()
            #expect(list.params == nil)
            #expect((list.options as? ISValues)?["title"] as? String == "Simple Notes")
            try await navigating.navigate("/notes/7/edit")
            #expect(try await next().isEditing)
        }

        @Test("Without a navigation controller, startWithValues: is sent to the class")
        func startWithValues() async throws {
            ListController.routec("/lists")
            Locator.routec("/places/:id")
            defer {
                ListController.this.unroute()
                Locator.this.unroute()
            }
            try await this.navigate("/lists", dict("title", "Simple Notes"))
            #expect(ListController.started.map { Array($0.keys) } == [[OPTIONS_KEY]])
            try await this.navigate("/places/5")
            #expect(Locator.started.map { $0[PARAMS_KEY] as? [String: String] } == [["id": "5"]])
            #expect(Locator.started.map { $0[OPTIONS_KEY] == nil } == [true])
            Locator.this.unroute()
            await #expect(throws: EventBusError.self) { try await this.navigate("/places/5") }
        }

        @Test("ISViewController: the routes of the controller call their blocks until it is released")
        func routes() async throws {
            var controller: RoutesController? = RoutesController(values: [PARAMS_KEY: ["id": "1"], OPTIONS_KEY: "o"])
            #expect(controller?.params == ["id": "1"] && controller?.options as? String == "o")
            try await this.navigate("/notes/5/shown")
            #expect(controller?.shownRoutes == ["5"])
            controller = nil
            await #expect(throws: EventBusError.self) { try await this.navigate("/notes/5/shown") }
        }

        @Test("$route: the block receives this and the navigation; $unroute removes the routes of the context")
        func route() async throws {
            this.route("/notes/:id/print") { [log] this, navigation in
                log.yield("\(navigation.parameters["id"] ?? "") \(navigation.values[OPTIONS_KEY] as? String ?? "none")")
            }
            try await this.navigate("/notes/5/print", "twice")
            try await this.navigate("/NOTES/6/print")
            #expect(await logged() == ["5 twice", "6 none"])
            this.unroute()
            await #expect(throws: EventBusError.self) { try await this.navigate("/notes/5/print") }
        }

        @Test("The classes of models have their original names")
        func models() async throws {
            let sync = ISBasicSync(NetworkClient(transport: StubTransport(["GET /notes": .json(#"[{"id": 1}]"#)])))
            let notes = ISCollection(schema: ModelSchema(host: "notes.example.com", path: "notes"), sync: sync)
            try await notes.fetch()
            let note: ISModel = try #require(notes.models.first)
            #expect(note.idText == "1")
        }
    }
}
