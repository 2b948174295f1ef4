import AshlarTestSupport
import Foundation
import Testing

@testable import AshlarLogging

@Suite(.enabled(if: OtherUser.isAvailable), .timeLimit(.minutes(5))) struct SharedSinkTests {
    @Test("A sink doesn't append to what another user planted", arguments: OtherUser.Plant.allCases)
    func planted(plant: OtherUser.Plant) throws {
        let folder = try AshlarTestSupport.TemporaryFolder([:])
        let path = folder.file("a.log")
        let victim = try OtherUser.plant(plant, at: path, content: "old")
        let sink = FileSink(path: path)
        let system = TestSystem { $0.sinks = [sink] }
        system.log().info("secret")
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "old")
        try FileManager.default.removeItem(atPath: path)
        system.log().info("after")
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(text.contains("after") && !text.contains("secret"))
        var info = stat()
        #expect(stat(path, &info) == 0 && info.st_mode & 0o777 == 0o600)
    }
}
