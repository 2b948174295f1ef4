import AshlarNetworking
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarModels

/// Encrypted folders of an offline sync.
@Suite(.timeLimit(.minutes(5))) struct OfflineCipherTests {
    private let folder = TemporaryFolder()

    private struct Rejected: Error {}

    /// A toy: it hides the content and detects another key or another name, but isn't secure.
    private static func cipher(_ key: UInt8) -> OfflineCipher {
        @Sendable func sum(_ bytes: [UInt8], _ file: String) -> UInt8 {
            (bytes + file.utf8).reduce(key) { $0 &* 31 &+ $1 }
        }
        return OfflineCipher(
            seal: { content, file in content.map { $0 ^ (key | 0x80) } + [sum(content, file)] },
            open: { sealed, file in
                let content = sealed.dropLast().map { $0 ^ (key | 0x80) }
                guard sealed.last == sum(content, file) else { throw Rejected() }
                return content
            })
    }

    private func sync(_ cipher: OfflineCipher?) throws -> OfflineSync {
        try OfflineSync(OfflineFolderTests.offline.sync, folder: folder.path, cipher: cipher)
    }

    private func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for file in folder.files(".record") { contents[file] = try Data(contentsOf: URL(fileURLWithPath: file)) }
        return contents
    }

    @Test("Files contain no text of a change, and only the same cipher reads them, which changes none of them")
    func seals() async throws {
        do {
            let sync = try sync(Self.cipher(1))
            try await OfflineFolderTests.note(sync, ["t": "milk-and-bread"]).save()
            try await OfflineFolderTests.note(sync, ["t": "salt"]).save()
        }
        let files = try contents()
        #expect(files.count == 2)
        for word in ["milk", "salt", "notes", "attributes", "\"t\"", "path"] {
            #expect(files.values.allSatisfy { $0.range(of: Data(word.utf8)) == nil }, "\(word)")
        }
        for cipher in [nil, Self.cipher(2)] {
            let sync = try sync(cipher)
            #expect(sync.pending.isEmpty && Set(sync.unreadableFiles) == Set(files.keys))
        }
        #expect(try contents() == files)
        let sync = try sync(Self.cipher(1))
        #expect(sync.unreadableFiles.isEmpty)
        #expect(Set(sync.pending.map { $0.mine["t"].string() }) == ["milk-and-bread", "salt"])
    }

    @Test("A file in the place of another one, or without encryption, isn't read")
    func swaps() async throws {
        do {
            let sync = try sync(Self.cipher(1))
            try await OfflineFolderTests.note(sync, ["t": "milk"]).save()
            try await OfflineFolderTests.note(sync, ["t": "salt"]).save()
        }
        let files = folder.files(".record").sorted()
        let plain = TemporaryFolder()
        do {
            let sync = try OfflineSync(OfflineFolderTests.offline.sync, folder: plain.path)
            try await OfflineFolderTests.note(sync, ["t": "bread"]).save()
        }
        let other = try #require(plain.files(".record").first)
        for source in [files[1], other] {
            try Data(contentsOf: URL(fileURLWithPath: source)).write(to: URL(fileURLWithPath: files[0]))
            let sync = try sync(Self.cipher(1))
            #expect(sync.unreadableFiles == [files[0]] && sync.pending.count == 1)
        }
    }

    @Test("A change that can't be encrypted fails, and isn't stored or sent")
    func failure() async throws {
        let server = OfflineFolderTests.offline
        let cipher = OfflineCipher(seal: { _, _ in throw Rejected() }, open: { sealed, _ in sealed })
        let sync = try OfflineSync(server.sync, folder: folder.path, cipher: cipher)
        let error = await #expect(throws: NetworkError.self) {
            try await OfflineFolderTests.note(sync, ["t": "milk"]).save()
        }
        #expect(error?.code == .encodingFailed && error?.underlying is Rejected)
        #expect(sync.pending.isEmpty && folder.files(".record").isEmpty)
    }

    @Test("A slow cipher delays no other change, and both changes are stored")
    func slow() async throws {
        let isStored = DispatchSemaphore(value: 0)
        let wasOvertaken = Locked<Bool?>(nil)
        let toy = Self.cipher(1)
        let cipher = OfflineCipher(
            seal: { content, file in
                let isFirst = wasOvertaken.withLock { overtaken in
                    defer { if overtaken == nil { overtaken = false } }
                    return overtaken == nil
                }
                if isFirst {
                    let result = isStored.wait(timeout: .now() + 60)
                    wasOvertaken.withLock { $0 = result == .success }
                }
                return try toy.seal(content, file)
            }, open: toy.open)
        do {
            let sync = try sync(cipher)
            async let slow: () = OfflineFolderTests.note(sync, ["t": "milk"]).save()
            try await until("the first change is being encrypted") { wasOvertaken.withLock { $0 != nil } }
            try await OfflineFolderTests.note(sync, ["t": "salt"]).save()
            isStored.signal()
            try await slow
            #expect(wasOvertaken.withLock { $0 } == true && sync.pending.count == 2)
        }
        #expect(Set(try sync(toy).pending.map { $0.mine["t"].string() }) == ["milk", "salt"])
    }

    @Test("A cipher may use its sync, also to change records")
    func recursion() async throws {
        let used = Locked<OfflineSync?>(nil)
        let seen = Locked<[Int]>([])
        let toy = Self.cipher(1)
        let cipher = OfflineCipher(
            seal: { content, file in
                if let sync = used.withLock({ $0 }) {
                    let pending = sync.pending
                    let isFirst = seen.withLock { seen in
                        seen.append(pending.count)
                        return seen.count == 1
                    }
                    for change in pending where isFirst { try sync.resolve(change, .theirs) }
                }
                return try toy.seal(content, file)
            }, open: toy.open)
        let sync = try sync(cipher)
        try await OfflineFolderTests.note(sync, ["t": "milk"]).save()
        used.withLock { $0 = sync }
        try await OfflineFolderTests.note(sync, ["t": "salt"]).save()
        used.withLock { $0 = nil }
        // The removal overtakes the second change, which is encrypted again.
        #expect(seen.withLock { $0.prefix(2) } == [1, 0])
        #expect(sync.pending.map { $0.mine["t"].string() } == ["salt"] && folder.files(".record").count == 1)
    }
}
