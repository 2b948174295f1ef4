import AshlarModels
import AshlarNetworking
import AshlarTestSupport
import Testing

@Suite struct ModelTests {
    @Test("A model starts with the defaults under its attributes, without events")
    func beginning() {
        var schema = ModelSchema()
        schema.defaults = ["done": false, "title": "?"]
        let model = Model(["title": "Milk", "gone": .missing], schema: schema)
        #expect(model.attributes == ["title": "Milk", "done": false])
        #expect(model.isNew && model.collection == nil && !model.hasChanged() && !model["x"].isValid)
        #expect(model.cid.hasPrefix("c") && Model().cid != Model().cid)
        #expect(model.json.text() == #"{"done":false,"title":"Milk"}"#)
        #expect(model.description == "\(model.cid) \(model.json)")
    }

    @Test("Changed attributes cause events in the order of their names, then one change; equal values cause none")
    func order() throws {
        let model = Model(["a": 1, "b": 2, "z": 0])
        let log = Recorder<String>()
        let watch = model.observe { event in
            log.note(event.name)
            #expect(event.model === model)
            if event.name == "change:a" {
                #expect(model["b"] == 3, "all values are stored before the first event")
                #expect(model.previousValue(for: "a") == 1 && model.previousValue(for: "b") == 2)
                #expect(model.hasChanged("a") && model.hasChanged("b") && !model.hasChanged("z"))
                #expect(model.changedAttributes == ["a": 5, "b": 3, "c": 1])
            }
        }
        try model.set(["c": 1, "b": 3, "a": 5, "z": 0])
        #expect(log.take() == ["change:a", "change:b", "change:c", "change"])
        #expect(!model.hasChanged() && model.previousValue(for: "a") == 5 && model.changedAttributes.isEmpty)
        try model.set(["a": 5, "z": 0.0])
        #expect(log.take() == [], "0 and 0.0 are the same number")
        watch.cancel()
        try model.set(["a": 6])
        #expect(log.take() == [])
    }

    @Test("A set in a handler of change causes another change; by Backbone's rule it doesn't")
    func nested() throws {
        for rule in [ModelSchema.NestedChanges.announced, .seed] {
            var schema = ModelSchema()
            schema.nestedChanges = rule
            let model = Model(["a": 1], schema: schema)
            let log = Recorder<String>()
            let watch = model.observe { event in
                log.note(event.name)
                if event.name == "change:a" { try? model.set(["b": 1, "c": 2]) }
                if event.name == "change:b" { try? model.set(["d": 1]) }
                if event.name == "change" {
                    log.note(model.changedAttributes.keys.sorted().joined())
                    try? model.set(["e": 1])
                }
            }
            try model.set(["a": 2])
            let first = ["change:a", "change:b", "change:d", "change:c", "change", "abcd", "change:e"]
            #expect(log.take() == first + (rule == .announced ? ["change", "e"] : []))
            #expect(!model.hasChanged())
            try model.set(["a": 3])
            #expect(log.take() == ["change:a", "change", "a"], "the inner values are equal now")
            withExtendedLifetime(watch) {}
        }
    }

    @Test("A silent set causes no event, and the next one announces both changes")
    func silent() throws {
        let model = Model(["a": 1])
        let log = Recorder<String>()
        let watch = model.observe { log.note($0.name) }
        try model.set(["a": 2], silent: true)
        #expect(log.take() == [] && model.hasChanged("a") && model["a"] == 2)
        try model.set([:])
        #expect(log.take() == ["change"])
        #expect(!model.hasChanged())
        withExtendedLifetime(watch) {}
    }

    @Test("Attributes are removed by unset, clear and a missing value")
    func removing() throws {
        let model = Model(["a": 1, "b": 2, "c": 3])
        let log = Recorder<String>()
        let watch = model.observe { log.note($0.name) }
        try model.unset("a")
        try model.unset("a")
        #expect(log.take() == ["change:a", "change"] && !model["a"].isValid && model.attributes.count == 2)
        try model.clear()
        #expect(log.take() == ["change:b", "change:c", "change"] && model.attributes.isEmpty)
        let error = #expect(throws: NetworkError.self) { try model.set(["n": JSONEntity(floatLiteral: .nan)]) }
        #expect(error?.code == .encodingFailed && model.attributes.isEmpty, "it differs from a missing value")
        try model.set(["n": .null])
        #expect(model["n"].isNull && model.attributes.count == 1, "null is a value")
        withExtendedLifetime(watch) {}
    }

    @Test("A rejected set changes nothing, throws the messages and causes an error event")
    func validation() throws {
        var schema = ModelSchema()
        schema.validate = { changes, current in
            changes["admin"]?.bool() == true && current["root"]?.bool() != true ? ["admin is not for you"] : []
        }
        let model = Model(["a": 100], schema: schema)
        let log = Recorder<String>()
        let watch = model.observe { log.note($0.name + ($0.error?.messages.joined() ?? "")) }
        let error = #expect(throws: NetworkError.self) { try model.set(["a": 200, "admin": true]) }
        #expect(error?.code == .validationFailed && error?.messages == ["admin is not for you"])
        #expect(model["a"] == 100 && !model["admin"].isValid)
        #expect(log.take() == ["erroradmin is not for you"])
        try model.set(["admin": true], silent: true)
        #expect(model["admin"] == true, "a silent set is not validated")
        withExtendedLifetime(watch) {}
    }

    @Test("Handlers run in order of addition and end with their observation")
    func handlers() throws {
        let model = Model()
        let log = Recorder<String>()
        let first = model.observe { _ in log.note("first") }
        var second: ModelObservation? = model.observe { _ in log.note("second") }
        try model.set(["a": 1])
        #expect(log.take() == ["first", "second", "first", "second"])
        second = nil
        _ = second
        try model.set(["a": 2])
        #expect(log.take() == ["first", "first"])
        first.cancel()
        first.cancel()
        try model.set(["a": 3])
        #expect(log.take() == [])
    }

    @Test("A clone has the attributes and nothing else")
    func clone() throws {
        let model = Model(["id": 1, "a": [1]])
        let other = model.clone()
        #expect(other.attributes == model.attributes && other.cid != model.cid)
        try other.set(["a": 2])
        #expect(model["a"] == [1])
    }

    @Test(
        "A model lives at the collection's path, one slash and its encoded id",
        arguments: [
            ("notes", "1", "notes/1"), ("notes/", "1", "notes/1"), ("/v1/notes", "a b/c", "/v1/notes/a%20b%2Fc"),
            ("https://x.example/notes", "é", "https://x.example/notes/%C3%A9"), ("notes", "..", "notes/.."),
        ])
    func location(path: String, id: String, expected: String) throws {
        let model = Model(["id": JSONEntity(id)], schema: ModelSchema(path: path))
        #expect(try model.location().path == expected)
        #expect(try Model(schema: ModelSchema(path: path)).location().path == path)
        let collection = ModelCollection([model], schema: ModelSchema(path: "other"))
        #expect(try model.location().path.hasPrefix("other/"))
        withExtendedLifetime(collection) {}
    }

    @Test("A model without a path throws, and each verb can have its own path")
    func locations() async throws {
        let error = #expect(throws: NetworkError.self) { try Model(["id": 1]).location() }
        #expect(error?.code == .missingLocation)
        var schema = ModelSchema(path: "notes")
        schema.pathFor = { verb, model in verb == .delete ? "trash/\(model.idText ?? "")" : nil }
        let model = Model(["id": 7], schema: schema)
        #expect(try model.location(for: .delete).path == "trash/7" && model.location().path == "notes/7")
        let noSync = await #expect(throws: NetworkError.self) { try await model.fetch() }
        #expect(noSync?.code == .missingLocation)
    }

    @Test("The id can be another attribute, a number or a string; null is no id")
    func ids() {
        var schema = ModelSchema()
        schema.idAttribute = "_id"
        #expect(Model(["_id": "x"], schema: schema).idText == "x" && Model(["id": 1], schema: schema).isNew)
        #expect(Model(["id": 12]).idText == "12" && Model(["id": .null]).isNew && Model(["id": ""]).isNew == false)
    }
}

@Suite struct ModelCollectionTests {
    private func notes(_ ids: Int...) -> [Model] { ids.map { Model(["id": JSONEntity($0), "n": JSONEntity($0)]) } }

    @Test("Models are found by id, by name and by index")
    func finding() throws {
        let models = notes(3, 1, 2)
        let collection = ModelCollection(models)
        #expect(collection.models.map(\.idText) == ["3", "1", "2"] && collection.count == 3)
        #expect(collection[id: "1"] === models[1] && collection[id: "9"] == nil)
        #expect(collection[cid: models[2].cid] === models[2] && collection[cid: "x"] == nil)
        #expect(collection[at: 0] === models[0] && collection[at: -1] === models[2] && collection[at: 3] == nil)
        #expect(collection.first === models[0] && collection.last === models[2])
        #expect(collection.pluck("n") == [3, 1, 2] && collection.filter { $0["n"].int(0) > 1 }.count == 2)
        #expect(collection.json.text() == #"[{"id":3,"n":3},{"id":1,"n":1},{"id":2,"n":2}]"#)
        #expect(models[0].collection === collection)
    }

    @Test("Adding calls the model's handlers, then the collection's; the index and silence apply")
    func adding() throws {
        let collection = ModelCollection(notes(1, 2))
        let log = Recorder<String>()
        let new = Model(["id": 3])
        let onModel = new.observe { log.note("model \($0.name)") }
        let onCollection = collection.observe { log.note("collection \($0.name) \($0.model?.idText ?? "-")") }
        try collection.add([new], at: 1)
        #expect(log.take() == ["model add", "collection add 3"])
        #expect(collection.models.map(\.idText) == ["1", "3", "2"])
        try collection.add(notes(4, 5), at: 0, silent: true)
        #expect(log.take() == [] && collection.models.map(\.idText) == ["4", "5", "1", "3", "2"])
        try collection.add(notes(6), at: 99)
        try collection.add(notes(7), at: -9)
        #expect(collection.models.map(\.idText) == ["7", "4", "5", "1", "3", "2", "6"])
        withExtendedLifetime((onModel, onCollection)) {}
    }

    @Test("The same model or the same id is not added twice")
    func duplicates() throws {
        let models = notes(1, 2)
        let collection = ModelCollection(models)
        var error = #expect(throws: NetworkError.self) { try collection.add([models[0]]) }
        #expect(error?.code == .duplicateModel && error?.message == "the collection has the model with id 1 already")
        error = #expect(throws: NetworkError.self) { try collection.add([Model(["id": "2"])]) }
        #expect(error?.key == "2" && collection.count == 2)
    }

    @Test("A comparator determines the order")
    func sorted() throws {
        let collection = ModelCollection(notes(3, 1, 2)) { $0["n"].int(0) < $1["n"].int(0) }
        try collection.add(notes(0, 9))
        #expect(collection.pluck("n") == [0, 1, 2, 3, 9])
        try collection.reset(notes(5, 4))
        #expect(collection.pluck("n") == [4, 5])
    }

    @Test("Removing causes an event, and the collection receives no more events of the model")
    func removing() throws {
        let models = notes(1, 2)
        let collection = ModelCollection(models)
        let log = Recorder<String>()
        let watch = collection.observe { log.note("\($0.name) \($0.model?.idText ?? "-")") }
        collection.remove([models[0], Model(["id": 2])])
        #expect(log.take() == ["remove 1"] && collection.count == 1 && models[0].collection == nil)
        try models[0].set(["n": 5])
        #expect(log.take() == [])
        try models[1].set(["n": 5])
        #expect(log.take() == ["change:n 2", "change 2"])
        #expect(collection[id: "1"] == nil && collection[cid: models[0].cid] == nil)
        withExtendedLifetime(watch) {}
    }

    @Test("A model is found by its changed id, even after a silent change")
    func reindexing() throws {
        let models = notes(1)
        let collection = ModelCollection(models)
        try models[0].set(["id": 7])
        #expect(collection[id: "7"] === models[0] && collection[id: "1"] == nil)
        try models[0].set(["id": 8], silent: true)
        #expect(collection[id: "8"] === models[0] && collection[id: "7"] == nil)
        try models[0].unset("id")
        #expect(collection[id: "8"] == nil && collection.count == 1)
    }

    @Test("Resetting causes one event and releases the old models")
    func resetting() throws {
        let old = notes(1, 2)
        let collection = ModelCollection(old)
        let log = Recorder<String>()
        let watch = collection.observe { log.note("\($0.name) \($0.collection === collection)") }
        let new = notes(2, 3)
        try collection.reset(new)
        #expect(log.take() == ["reset true"] && collection.models.map(\.idText) == ["2", "3"])
        #expect(old[0].collection == nil && new[0].collection === collection && collection[id: "2"] === new[0])
        try old[1].set(["n": 0])
        #expect(log.take() == [])
        #expect(throws: NetworkError.self) { try collection.reset([new[0], new[0]]) }
        #expect(collection.count == 2 && new[0].collection === collection)
        try collection.reset(silent: true)
        #expect(log.take() == [] && collection.isEmpty)
        withExtendedLifetime(watch) {}
    }

    @Test("In a handler of a reset, the first collection of a new model is the one that was reset")
    func collectionInReset() throws {
        let collection = ModelCollection()
        let model = Model(["id": 1])
        let log = Recorder<Bool>()
        let watch = collection.observe { [weak collection] _ in log.note(model.collection === collection) }
        try collection.reset([model])
        #expect(log.take() == [true])
        #expect(model.collection === collection)
        withExtendedLifetime(watch) {}
    }

    @Test("A collection can be released while another thread removes its model elsewhere", .timeLimit(.minutes(5)))
    func releaseWhileRemoving() async throws {
        let model = Model(["id": 1])
        let kept = ModelCollection()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<200_000 {
                    var short: ModelCollection? = ModelCollection()
                    let watch = short?.observe { [reader = OnRelease { _ = model.attributes }] _ in
                        withExtendedLifetime(reader) {}
                    }
                    try short?.add([model], silent: true)
                    short = nil
                    withExtendedLifetime(watch) {}
                }
            }
            group.addTask {
                for _ in 0..<200_000 {
                    try kept.add([model], silent: true)
                    kept.remove([model], silent: true)
                }
            }
            try await group.waitForAll()
        }
        #expect(model.collection == nil)
    }

    @Test("Both collections of a model receive its events; adding to one sends no event to the other")
    func twoCollections() throws {
        let model = Model(["id": 1])
        let (a, b) = (ModelCollection([model]), ModelCollection())
        let log = Recorder<String>()
        let watches = [("a", a), ("b", b)].map { name, collection in
            collection.observe { log.note("\(name) \($0.name)") }
        }
        try b.add([model])
        #expect(log.take() == ["b add"] && model.collection === a)
        try model.set(["x": 1])
        #expect(log.take() == ["a change:x", "b change:x", "a change", "b change"])
        a.remove([model])
        #expect(log.take() == ["a remove"] && model.collection === b)
        withExtendedLifetime(watches) {}
    }

    @Test("Models don't retain a reference to a released collection")
    func released() throws {
        let model = Model(["id": 1])
        var collection: ModelCollection? = ModelCollection([model])
        weak let weakly = collection
        collection = nil
        _ = collection
        #expect(weakly == nil && model.collection == nil)
        try model.set(["id": 2])
    }

    @Test("A reset during an addition leaves no model that can't be found")
    func resetDuringAdd() throws {
        let box = Locked<ModelCollection?>(nil)
        let collection = ModelCollection(notes(1)) { _, _ in
            if let other = box.withLock({ $0.take() }) { try? other.reset() }
            return false
        }
        box.withLock { $0 = collection }
        try collection.add(notes(2))
        #expect(box.withLock { $0 == nil }, "the comparator was called")
        #expect(collection.models.allSatisfy { collection[cid: $0.cid] === $0 })
    }

    @Test("The index of several models is clamped for the first one, and they keep their order")
    func clampedIndex() throws {
        let collection = ModelCollection(notes(1))
        try collection.add(notes(2, 3), at: -9)
        try collection.add(notes(4, 5), at: .max)
        #expect(collection.models.map(\.idText) == ["2", "3", "1", "4", "5"])
    }
}
