import AshlarLogging
import Foundation
import Testing

@Suite struct KillTests {
    @Test("A killed process loses no acknowledged line and reads as unclean", .timeLimit(.minutes(1)))
    func kill() throws {
        let folder = TemporaryFolder()
        let told = try TestChild("forever", folder.path).runAndKill(after: .milliseconds(60))
        let acknowledged = try #require(told.split(separator: "\n").last.flatMap { Int($0) })
        let answer = try TestChild("prior", folder.path).run()
        #expect(answer.hasPrefix("unclean "))
        #expect(answer.contains("[DEBUG] Kill - line \(acknowledged) "))
    }
}
