import AshlarModels
import AshlarNetworking
import AshlarTestSupport
import Foundation

extension TemporaryFolder {
    func files(_ suffix: String) -> [String] { names.filter { $0.hasSuffix(suffix) }.map { file($0) } }
}

/// A server and the folder of a device.
final class OfflineWorld: Sendable {
    let server = RecordServer()
    let folder = TemporaryFolder()
    let schema = ModelSchema(host: "api.example.com", path: "notes")
    fileprivate let copies = Locked<[TemporaryFolder]>([])
}

protocol OfflineSuite {
    var world: OfflineWorld { get }
}

extension OfflineSuite {
    var server: RecordServer { world.server }
    var folder: TemporaryFolder { world.folder }
    var schema: ModelSchema { world.schema }

    func open() throws -> OfflineSync { try OfflineSync(server.sync, folder: folder.path, schema: schema) }

    func note(_ sync: OfflineSync, _ attributes: [String: JSONEntity]) -> Model {
        Model(attributes, schema: schema, sync: sync)
    }

    /// Opens a copy of the folder, as after a crash; the models still use the first sync.
    func reopened(_ sync: OfflineSync) throws -> OfflineSync {
        let copy = TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: world.copies.withLock { $0.last?.path } ?? folder.path, toPath: copy.path)
        world.copies.withLock { $0.append(copy) }
        return try OfflineSync(server.sync, folder: copy.path, schema: schema)
    }
}
