import Foundation

/// The processor cores of the server and the client.
///
/// The kernel runs both on one core or on two, for thousands of requests at a time, which changes a figure by up to a
/// factor of two. Pinned rows are comparable.
enum Placement: CaseIterable {
    case unpinned
    /// The server on the first core, the client on the second.
    case pinned

    /// The text after a row's name.
    var suffix: String { self == .pinned ? ", pinned" : "" }

    /// Moves all threads of the server and of this process; later threads inherit the placement.
    func apply(to server: Nginx) {
        let all = "0-\(ProcessInfo.processInfo.processorCount - 1)"
        for id in server.processes { Self.move(id, to: self == .pinned ? "0" : all) }
        Self.move(ProcessInfo.processInfo.processIdentifier, to: self == .pinned ? "1" : all)
    }

    private static func move(_ id: pid_t, to cores: String) {
        let taskset = Process()
        taskset.executableURL = URL(fileURLWithPath: "/usr/bin/taskset")
        taskset.arguments = ["--all-tasks", "--cpu-list", "--pid", cores, "\(id)"]
        taskset.standardOutput = FileHandle.nullDevice
        guard (try? taskset.run()) != nil else { return print("taskset is missing: threads are not pinned") }
        taskset.waitUntilExit()
    }
}

extension Nginx {
    /// The master and its worker.
    fileprivate var processes: [pid_t] {
        let children = try? String(contentsOfFile: "/proc/\(identifier)/task/\(identifier)/children", encoding: .utf8)
        return [identifier] + (children ?? "").split(separator: " ").compactMap { pid_t($0) }
    }
}
