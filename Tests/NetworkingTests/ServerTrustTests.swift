import AshlarNetworkingTestSupport
import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarNetworking

/// Decisions about recorded chains of certificates, as the delegate of a session makes them.
@Suite(.timeLimit(.minutes(5))) struct ServerTrustTests {
    private static func fixture(_ name: String) throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/tls/\(name)")
        return try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func chain(_ names: String...) throws -> [[UInt8]] {
        try names.flatMap { ServerTrust.certificates(in: try fixture($0 + ".pem")) }
    }

    private static let wrong = "sha256//" + String(repeating: "A", count: 43) + "="

    private static func trust(_ pins: [String: String]) throws -> ServerTrust {
        var configuration = TransportConfiguration()
        configuration.pinnedKeys = pins
        return try ServerTrust(configuration)
    }

    @Test("The key in a certificate has the hash that openssl computes")
    func keys() throws {
        let certificate = try #require(Self.chain("good").first)
        let key = try #require(ServerTrust.publicKey(of: certificate))
        let url = try HTTPURL("https://localhost/")
        let pin = try "sha256//" + Self.fixture("good.pin")
        #expect(key.first == 0x30)
        let trust = try Self.trust(["localhost": pin])
        #expect(trust.rejection(of: url, chain: try Self.chain("good", "ca"), isValid: true) == nil)
    }

    @Test("A certificate that is truncated anywhere has no key")
    func truncated() throws {
        let certificate = try #require(Self.chain("good").first)
        #expect(ServerTrust.publicKey(of: certificate) != nil)
        for count in 0..<certificate.count {
            #expect(ServerTrust.publicKey(of: Array(certificate.prefix(count))) == nil, "\(count) bytes")
        }
    }

    @Test("Only a valid chain whose first certificate has a pinned key is accepted")
    func verdicts() throws {
        let url = try HTTPURL("https://localhost/")
        let pin = try "sha256//" + Self.fixture("good.pin")
        let (good, other) = (try Self.chain("good", "ca"), try Self.chain("otherhost", "ca"))
        let cases: [(String, pins: [String: String], chain: [[UInt8]], isValid: Bool, accepts: Bool)] = [
            ("without pins", [:], good, true, true), ("without pins, invalid", [:], good, false, false),
            ("pinned", ["localhost": pin], good, true, true),
            ("pinned, invalid", ["localhost": pin], good, false, false),
            ("one of several pins", ["localhost": Self.wrong + ";" + pin], good, true, true),
            ("another spelling of the host", ["LOCALHOST.": pin], good, true, true),
            ("wrong pin", ["localhost": Self.wrong], good, true, false),
            ("pins of another host", ["other.example": Self.wrong], good, true, true),
            ("another certificate", ["localhost": pin], other, true, false),
            ("the pinned key is the issuer's", ["localhost": pin], other + good, true, false),
            ("no certificate", ["localhost": pin], [], true, false), ("nothing at all", [:], [], true, false),
            ("malformed certificate", ["localhost": pin], [[0x30, 0x03, 1, 2, 3]], true, false),
            ("truncated certificate", ["localhost": pin], [Array(good[0].dropLast(200))], true, false),
        ]
        for (title, pins, chain, isValid, accepts) in cases {
            let rejection = try Self.trust(pins).rejection(of: url, chain: chain, isValid: isValid)
            #expect((rejection == nil) == accepts, "\(title)")
            #expect(rejection?.code == (accepts ? nil : .certificateUntrusted), "\(title)")
            #expect(rejection?.phase == (accepts ? nil : .tls), "\(title)")
            #expect(rejection?.requestState == (accepts ? nil : .notSent), "\(title)")
        }
    }

    @Test("Only hosts with pins, or all hosts if there are roots, need a decision of their own")
    func concerns() throws {
        var configuration = TransportConfiguration()
        configuration.pinnedKeys = ["a.example": Self.wrong]
        let (pinned, other) = (try HTTPURL("https://A.example:8443/x"), try HTTPURL("https://b.example/"))
        #expect(try ServerTrust(configuration).concerns(pinned))
        #expect(try !ServerTrust(configuration).concerns(other))
        #expect(try ServerTrust(configuration).isPinned(pinned) && !ServerTrust(configuration).isPinned(other))
        configuration.trustRoots =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Fixtures/tls/ca.pem").path
        let trust = try ServerTrust(configuration)
        #expect(trust.concerns(other))
        #expect(trust.roots == (try Self.chain("ca")))
    }

    @Test("Roots that can't be read are an error when the settings are checked")
    func roots() throws {
        let begin = "-----BEGIN CERTIFICATE-----\n"
        let folder = NSTemporaryDirectory() + "trust-\(UUID())"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for text in [nil, "", "no certificate", begin, begin + "AAAA\n-----END CERTIFICATE-----"] {
            let file = folder + "/roots.pem"
            if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: file)) }
            var configuration = TransportConfiguration()
            configuration.trustRoots = file
            let error = #expect(throws: NetworkError.self) { try ServerTrust(configuration) }
            #expect(error?.code == .invalidConfiguration && error?.key == "trustRoots")
        }
    }

    @Test("Changed bytes of a certificate never trap, and no longer have the pinned key unless they are outside of it")
    func damaged() throws {
        let certificate = try #require(try Self.chain("good").first)
        let seed = UInt64.random(in: 0..<1_000_000)
        print("damaged certificates: seed \(seed)")
        var generator = SeededRandom(seed: seed)
        let key = ServerTrust.publicKey(of: certificate)
        for _ in 0..<5000 {
            var damaged = certificate
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let index = Int.random(in: 0..<damaged.count, using: &generator)
                damaged[index] = UInt8.random(in: 0...255, using: &generator)
            }
            if Bool.random(using: &generator) {
                damaged = Array(damaged.prefix(Int.random(in: 0..<damaged.count, using: &generator)))
            }
            guard let found = ServerTrust.publicKey(of: damaged) else { continue }
            #expect(found == key || damaged != certificate)
            #expect(found.count <= damaged.count)
        }
    }
}
