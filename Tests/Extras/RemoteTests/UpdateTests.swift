import AshlarCore
import AshlarCustomization
import AshlarRemote
import AshlarTestSupport
import Foundation
import Testing

@Suite struct UpdateTests {
    /// An update as created by a server; the signature is a checksum of the signed bytes.
    static func file(
        version: Int, _ languages: String, checksum: String? = nil, signature: ((String) -> String)? = nil
    ) -> [UInt8] {
        let payload = "{\"languages\": \(languages)}"
        let checksum = checksum ?? SHA256.hexadecimal(Array(payload.utf8))
        let head = "ashlar-strings 1\nversion: \(version)\nsha256: \(checksum)\n"
        let signed = signature.map { "signature: \($0(head))\n" } ?? ""
        return Array((head + signed + "\n" + payload).utf8)
    }

    static func sign(_ text: String) -> String { Base64.encode(SHA256.hash(Array((text + "secret").utf8))) }
    static let verify: CustomizationUpdate.Verification = { signed, signature in
        SHA256.hash(signed + Array("secret".utf8)) == signature
    }
    static let french = #"{"fr": {"Localizable": {"title": "Neuf"}}}"#

    private func strings(_ languages: [LanguageTag] = ["fr"]) throws -> (Customization, TemporaryFolder) {
        let tree = try TemporaryFolder([
            "en.lproj/Localizable.strings": #""title" = "Title"; "cancel" = "Cancel"; "logo" = "logo.png";"#,
            "fr.lproj/Localizable.strings": #""title" = "Titre"; "cancel" = "Annuler";"#,
            "acme.lproj/Localizable.strings": #""logo" = "acme.png";"#,
        ])
        return (Customization(path: tree.path, languages: languages, brand: "acme"), tree)
    }

    // MARK: The snapshot

    @Test("An update is above the app's texts of its language and below the brand")
    func stack() throws {
        let (app, tree) = try strings()
        let update = try CustomizationUpdate(
            Self.file(
                version: 3,
                #"{"fr": {"Localizable": {"title": "Neuf", "logo": "x.png"}}, "en": {"Localizable": {"cancel": "Stop"}}}"#
            ))
        let updated = app.with(update: update)
        #expect(updated.string("title") == "Neuf" && updated.string("cancel") == "Annuler")
        #expect(updated.string("logo") == "acme.png")
        #expect(updated.layers.map(\.id) == ["en.lproj", "update 3#en", "fr.lproj", "update 3#fr", "acme.lproj"])
        #expect(updated.updateVersion == 3)
        #expect(updated.switching(language: "en").string("cancel") == "Stop")
        let restored = updated.with(update: nil)
        #expect(restored.string("title") == "Titre" && restored.updateVersion == nil)
        #expect(restored.layers.map(\.id) == app.layers.map(\.id))
        _ = tree
    }

    @Test("A language that only the update has becomes available, with its plural messages")
    func newLanguage() throws {
        let (app, tree) = try strings(["ru"])
        let update = try CustomizationUpdate(
            Self.file(
                version: 1,
                """
                {"ru": {"Localizable": {"files": {"NSStringLocalizedFormatKey": "%#@n@", "n": {
                  "NSStringFormatSpecTypeKey": "NSStringPluralRuleType", "NSStringFormatValueTypeKey": "lld",
                  "one": "%lld файл", "few": "%lld файла", "other": "%lld файлов"}}, "sizes": [1, 2]}}}
                """))
        let updated = app.with(update: update)
        #expect(updated.availableLanguages == ["en", "fr", "ru"])
        #expect(updated.plural("files", count: 3) == "3 файла")
        #expect(updated[CustomizationKey<[Int]>("sizes")] == [1, 2])
        #expect(updated.explain("files").winner?.location.file == "update#ru")
        _ = tree
    }

    @Test("A stack of layers takes an update, too")
    func layers() throws {
        let layer = CustomizationLayer(
            id: "fr", role: .language("fr"),
            tables: ["Localizable": StringsTable(entries: [.init(key: "title", value: "Titre")])])
        let update = try CustomizationUpdate(Self.file(version: 1, Self.french))
        #expect(Customization(layers: [layer]).with(update: update).string("title") == "Neuf")
    }

    // MARK: Files

    @Test(
        "A damaged, incomplete or foreign file is rejected with the reason",
        arguments: [
            (Array("".utf8), "the file is not an update"),
            (Array("ashlar-strings 2\n".utf8), "the file is not an update"),
            (Array("ashlar-strings 1\nversion: 1\n".utf8), "\"version:\""),
            (Array("ashlar-strings 1\nversion: -1\n\n{}".utf8), "\"version:\""),
            (Array(file(version: 1, french).dropLast()), "the checksum does not match"),
            (file(version: 1, french) + [0x20], "the checksum does not match"),
            (file(version: 1, french, checksum: "00"), "the checksum does not match"),
            (file(version: 1, "[]"), "dictionary \"languages\""), (file(version: 1, "{"), "dictionary \"languages\""),
            (file(version: 1, #"{"no language": {}}"#), "is not a language"),
            (file(version: 1, #"{"fr": 1}"#), "is not a language"),
        ] as [([UInt8], String)])
    func invalid(bytes: [UInt8], reason: String) {
        let error = #expect(throws: CustomizationError.self) { _ = try CustomizationUpdate(bytes) }
        #expect(error?.code == .invalidUpdate)
        #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    }

    @Test("Only a valid signature is accepted if signatures are required")
    func signatures() throws {
        let signed = Self.file(version: 1, Self.french, signature: Self.sign)
        #expect(try CustomizationUpdate(signed, verify: Self.verify).version == 1)
        #expect(try CustomizationUpdate(signed).version == 1)
        let unsigned = Self.file(version: 1, Self.french)
        let wrong = Self.file(version: 1, Self.french) { _ in Self.sign("other") }
        // Another version with the signature of this one.
        let text = String(decoding: signed, as: UTF8.self).replacingOccurrences(of: "version: 1", with: "version: 9")
        for bytes in [unsigned, wrong, Array(text.utf8)] {
            #expect(throws: CustomizationError.self) { _ = try CustomizationUpdate(bytes, verify: Self.verify) }
        }
    }

    @Test("No changed byte causes a crash or is accepted", .timeLimit(.minutes(5)))
    func mutations() {
        var random = SeededRandom(seed: 7)
        let original = Self.file(version: 5, Self.french, signature: Self.sign)
        for _ in 0..<rounds(2_000, soak: 200_000) {
            var bytes = original
            let index = Int.random(in: 0..<bytes.count, using: &random)
            let value = UInt8.random(in: 0...255, using: &random)
            guard bytes[index] != value else { continue }
            bytes[index] = value
            if let update = try? CustomizationUpdate(bytes, verify: Self.verify) {
                // Only the case of a hexadecimal digit and the Base64 padding are free.
                #expect(update.version == 5 && update.tables["fr"]?["Localizable"]?["title"] == "Neuf")
            }
        }
    }

    @Test("A table that isn't a dictionary is reported; one language in two spellings is rejected")
    func malformedTables() throws {
        let update = try CustomizationUpdate(Self.file(version: 1, #"{"fr": {"Localizable": "x", "B": {"a": "b"}}}"#))
        #expect(update.diagnostics.map(\.code) == [.notATable])
        #expect(update.tables["fr"]?.keys.sorted() == ["B"])
        #expect(throws: CustomizationError.self) {
            try CustomizationUpdate(Self.file(version: 1, #"{"fr": {}, "FR": {"Localizable": {"a": "b"}}}"#))
        }
    }

    @Test("A malformed message is omitted and reported")
    func malformedMessage() throws {
        let update = try CustomizationUpdate(
            Self.file(version: 1, #"{"fr": {"Localizable": {"a": {"x": 1}, "b": "B"}}}"#))
        #expect(update.tables["fr"]?["Localizable"]?.map(\.key) == ["b"])
        #expect(update.diagnostics.map(\.code) == [.pluralMalformed])
    }

    // MARK: The store

    @Test("An installed update survives a new store, and rolling back restores the one before")
    func store() throws {
        let tree = try TemporaryFolder([:])
        let folder = tree.path + "/updates/strings"
        let store = CustomizationUpdateStore(folder: folder)
        #expect(store.current == nil && store.diagnostics.isEmpty)
        try store.install(Self.file(version: 1, Self.french))
        try store.install(Self.file(version: 2, Self.french))
        #expect(CustomizationUpdateStore(folder: folder).current?.version == 2)
        #expect(try store.rollBack()?.version == 1)
        #expect(store.current?.version == 1)
        let second = CustomizationUpdateStore(folder: folder)
        #expect(second.current?.version == 1)
        #expect(throws: CustomizationError.self, "a version that was rolled back") {
            try second.install(Self.file(version: 2, Self.french))
        }
        try second.install(Self.file(version: 3, Self.french))
        #expect(try second.rollBack()?.version == 1)
        #expect(try second.rollBack() == nil)
        #expect(try second.rollBack() == nil, "twice without an update")
        #expect(CustomizationUpdateStore(folder: folder).current == nil)
    }

    @Test("A failed installation changes nothing")
    func failedInstallation() throws {
        let tree = try TemporaryFolder([:])
        let store = CustomizationUpdateStore(folder: tree.path, verify: Self.verify)
        try store.install(Self.file(version: 2, Self.french, signature: Self.sign))
        for bytes in [
            Self.file(version: 1, Self.french, signature: Self.sign),
            Self.file(version: 2, Self.french, signature: Self.sign),
            Self.file(version: 3, Self.french), Array("x".utf8),
        ] {
            #expect(throws: CustomizationError.self) { try store.install(bytes) }
            #expect(store.current?.version == 2)
            #expect(CustomizationUpdateStore(folder: tree.path, verify: Self.verify).current?.version == 2)
        }
        let blocked = CustomizationUpdateStore(folder: tree.path + "/current.ashlar-strings/inside")
        #expect(throws: CustomizationError.self) { try blocked.install(Self.file(version: 1, Self.french)) }
        #expect(blocked.current == nil)
    }

    @Test("If the current file is damaged, the previous one is used and a diagnostic reported")
    func damagedCurrent() throws {
        let tree = try TemporaryFolder([:])
        let store = CustomizationUpdateStore(folder: tree.path)
        try store.install(Self.file(version: 1, Self.french))
        try store.install(Self.file(version: 2, Self.french))
        try tree.write("ashlar-strings 1\nversion: 2\nsha256: 00\n\n{}", to: "current.ashlar-strings")
        let reopened = CustomizationUpdateStore(folder: tree.path)
        #expect(reopened.current?.version == 1)
        #expect(reopened.diagnostics.map(\.code) == [.invalidUpdate])
        try tree.write("", to: "previous.ashlar-strings")
        #expect(CustomizationUpdateStore(folder: tree.path).current == nil)
    }

    @Test("If the current file is missing, the previous one is used and a diagnostic reported")
    func missingCurrent() throws {
        let tree = try TemporaryFolder([:])
        let store = CustomizationUpdateStore(folder: tree.path)
        try store.install(Self.file(version: 1, Self.french))
        try store.install(Self.file(version: 2, Self.french))
        try FileManager.default.removeItem(atPath: tree.path + "/current.ashlar-strings")
        for store in [store, CustomizationUpdateStore(folder: tree.path)] {
            #expect(store.current?.version == 1)
            #expect(store.diagnostics.map(\.code) == [.invalidUpdate])
            #expect(store.diagnostics.first?.message.contains("missing") == true)
        }
        #expect(try store.install(Self.file(version: 2, Self.french)).version == 2, "the lost version again")
        #expect(store.current?.version == 2 && store.diagnostics.isEmpty)
        #expect(try store.rollBack()?.version == 1)
        #expect(store.diagnostics.isEmpty)
    }

    @Test("An older signed file on the disk never replaces a newer one")
    func replacedCurrent() throws {
        let tree = try TemporaryFolder([:])
        let old = Self.file(version: 1, Self.french, signature: Self.sign)
        let store = CustomizationUpdateStore(folder: tree.path, verify: Self.verify)
        for version in 1...3 {
            try store.install(Self.file(version: version, Self.french, signature: Self.sign))
        }
        try Data(old).write(to: URL(filePath: tree.path + "/current.ashlar-strings"))
        for store in [store, CustomizationUpdateStore(folder: tree.path, verify: Self.verify)] {
            #expect(store.current?.version == 2)
            #expect(store.diagnostics.map(\.code) == [.invalidUpdate])
        }
        #expect(throws: CustomizationError.self) { try store.install(old) }
        #expect(try store.rollBack()?.version == 2)
        #expect(store.current?.version == 2 && store.diagnostics.isEmpty, "a rollback isn't an attack")
    }

    @Test("The newest version survives a purge of the folder if its file is elsewhere")
    func purgedFolder() throws {
        let tree = try TemporaryFolder([:])
        let (cache, versions) = (tree.path + "/cache", tree.path + "/state/app/texts-version")
        func open() -> CustomizationUpdateStore { CustomizationUpdateStore(folder: cache, versionFile: versions) }
        try open().install(Self.file(version: 4, Self.french))
        try open().install(Self.file(version: 5, Self.french))
        try FileManager.default.removeItem(atPath: cache)
        let store = open()
        #expect(store.current == nil)
        #expect(store.diagnostics.map(\.code) == [.invalidUpdate])
        #expect(throws: CustomizationError.self) { try store.install(Self.file(version: 4, Self.french)) }
        #expect(try store.install(Self.file(version: 5, Self.french)).version == 5)
        #expect(throws: CustomizationError.self) { try store.install(Self.file(version: 5, Self.french)) }
        try store.rollBack()
        try FileManager.default.removeItem(atPath: cache)
        #expect(throws: CustomizationError.self, "a version that was rolled back") {
            try open().install(Self.file(version: 5, Self.french))
        }
    }

    #if os(Linux) || os(macOS)
        @Test("A store sees the update that another process installs", .timeLimit(.minutes(5)))
        func otherProcess() async throws {
            let tree = try TemporaryFolder([:])
            let store = CustomizationUpdateStore(folder: tree.path)
            #expect(store.current == nil)
            await #expect(processExitsWith: .success) { [folder = tree.path as String] in
                try CustomizationUpdateStore(folder: folder).install(UpdateTests.file(version: 7, UpdateTests.french))
            }
            #expect(store.current?.version == 7)
            let other = CustomizationUpdateStore(folder: tree.path)
            for version in 8...20 {
                try other.install(Self.file(version: version, Self.french))
                #expect(store.current?.version == version)
            }
            try other.rollBack()
            #expect(store.current?.version == 19)
        }
    #endif

    @Test(
        "A process killed between the writes of an installation leaves either the old update or the new one",
        arguments: 0...3)
    func interruptedInstallation(written: Int) throws {
        let (old, new) = (Self.file(version: 1, Self.french), Self.file(version: 2, Self.french))
        let tree = try TemporaryFolder([:])
        try CustomizationUpdateStore(folder: tree.path).install(old)
        if written > 0 { try Data(old).write(to: URL(filePath: tree.path + "/previous.ashlar-strings")) }
        if written > 1 { try Data(new).write(to: URL(filePath: tree.path + "/current.ashlar-strings")) }
        if written > 2 { try tree.write("2", to: "newest-version") }
        let store = CustomizationUpdateStore(folder: tree.path)
        #expect(store.current?.version == (written > 1 ? 2 : 1))
        #expect(store.diagnostics.isEmpty)
        if written < 2 { try store.install(new) }
        #expect(store.current?.version == 2, "an installation that was interrupted can be repeated")
        #expect(try store.rollBack()?.version == 1)
    }

    @Test("Stores of one folder see each other's installations when they install or roll back")
    func twoStores() throws {
        let tree = try TemporaryFolder([:])
        let (first, second) = (
            CustomizationUpdateStore(folder: tree.path), CustomizationUpdateStore(folder: tree.path)
        )
        try first.install(Self.file(version: 5, Self.french))
        #expect(throws: CustomizationError.self, "an older version") {
            try second.install(Self.file(version: 4, Self.french))
        }
        #expect(CustomizationUpdateStore(folder: tree.path).current?.version == 5)
        try second.install(Self.file(version: 6, Self.french))
        #expect(try first.rollBack()?.version == 5, "the version before the other store's")
        #expect(try second.rollBack() == nil)
        #expect(throws: CustomizationError.self) { try first.install(Self.file(version: 6, Self.french)) }
        #expect(try first.install(Self.file(version: 7, Self.french)).version == 7)
    }

    @Test("Stores of one folder that install and roll back concurrently leave complete files", .timeLimit(.minutes(2)))
    func racingStores() async throws {
        let tree = try TemporaryFolder([:])
        let folder = tree.path
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    let store = CustomizationUpdateStore(folder: folder)
                    for round in 0..<10 {
                        _ = try? store.install(Self.file(version: round * 4 + worker + 1, Self.french))
                        if round % 5 == worker { _ = try? store.rollBack() }
                        #expect(CustomizationUpdateStore(folder: folder).diagnostics.isEmpty)
                    }
                }
            }
        }
        let store = CustomizationUpdateStore(folder: folder)
        #expect(throws: CustomizationError.self) { try store.install(Self.file(version: 36, Self.french)) }
        #expect(try store.install(Self.file(version: 100, Self.french)).version == 100)
    }

    #if os(Linux) || os(macOS)
        @Test("A process killed during an installation leaves a readable folder", .timeLimit(.minutes(5)))
        func killedProcesses() async throws {
            let tree = try TemporaryFolder([:])
            for round in 1...rounds(3, soak: 60) {
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [folder = tree.path as String, start = round * 1_000 as Int] in
                    let store = CustomizationUpdateStore(folder: folder)
                    let text = String(repeating: "x", count: 50_000)
                    let languages = "{\"fr\": {\"Localizable\": {\"title\": \"\(text)\"}}}"
                    let end = Int.random(in: 1_000...30_000)
                    Thread.detachNewThread {
                        usleep(UInt32(end))
                        kill(getpid(), SIGKILL)
                    }
                    for version in start... { _ = try store.install(UpdateTests.file(version: version, languages)) }
                }
                let store = CustomizationUpdateStore(folder: tree.path)
                #expect(store.diagnostics.isEmpty, "round \(round)")
                let next = (store.current?.version ?? 0) + 1
                #expect(
                    try store.install(Self.file(version: max(next, round * 1_000 + 900), Self.french)).version >= next)
            }
        }
    #endif

    @Test("Random installations and rollbacks agree with a model", .timeLimit(.minutes(5)))
    func model() throws {
        var random = SeededRandom(seed: 42)
        let tree = try TemporaryFolder([:])
        var store = CustomizationUpdateStore(folder: tree.path)
        var (current, previous, newest) = (Int?.none, Int?.none, 0)
        for _ in 0..<rounds(120, soak: 5_000) {
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                let version = max(1, newest + Int.random(in: -1...2, using: &random))
                let installed = try? store.install(Self.file(version: version, Self.french))
                #expect((installed != nil) == (version > newest))
                if version > newest { (current, previous, newest) = (version, current, version) }
            case 2:
                try store.rollBack()
                (current, previous) = (previous, nil)
            default: store = CustomizationUpdateStore(folder: tree.path)
            }
            #expect(store.current?.version == current)
        }
    }

    @Test("After concurrent installations, the newest version is installed", .timeLimit(.minutes(5)))
    func concurrentInstallations() async throws {
        let tree = try TemporaryFolder([:])
        let store = CustomizationUpdateStore(folder: tree.path)
        await withTaskGroup(of: Void.self) { group in
            for version in 1...16 {
                group.addTask { _ = try? store.install(Self.file(version: version, Self.french)) }
            }
        }
        #expect(store.current?.version == 16)
        #expect(CustomizationUpdateStore(folder: tree.path).current?.version == 16)
    }
}
