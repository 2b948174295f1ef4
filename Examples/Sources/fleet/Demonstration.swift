#if os(Linux)
    import Foundation

    /// Starts a server and three processes, changes a setting, kills a worker, restarts the server, and prints what each saw.
    struct Demonstration {
        private static let server = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/opt/homebrew/bin/nats-server"]
            .first { FileManager.default.isExecutableFile(atPath: $0) }

        func run() async throws {
            guard let program = Self.server else {
                print("nats-server isn't installed (Debian's package is nats-server)")
                exit(1)
            }
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("fleet-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let port = try freePort()
            func startServer() throws -> Process {
                try start(
                    program,
                    ["-a", "127.0.0.1", "-p", "\(port)", "-js", "-sd", folder.path, "-l", folder.path + "/log"])
            }
            var server = try startServer()
            let web = try Child("web", port)
            let first = try Child("worker", port)
            let second = try Child("worker", port)
            let all = [web, first, second]
            try await wait("all are connected") { all.allSatisfy { $0.has("connected") } }

            web.send("note hello")
            web.send("set 5")
            try await wait("all have the setting") { all.allSatisfy { $0.has("jobs.pause is 5") } }
            for number in 1...6 { web.send("job \(number)") }
            try await wait("the workers have done six jobs") { jobs(first, second) == Array(1...6) }

            kill(first.process.processIdentifier, SIGKILL)
            first.note("(killed)")
            for number in 7...9 { web.send("job \(number)") }
            try await wait("the other worker has done three jobs") { jobs(first, second) == Array(1...9) }

            kill(server.processIdentifier, SIGKILL)
            try await wait("the loss is noticed") { [web, second].allSatisfy { $0.has("reconnecting") } }
            web.send("job 10")
            server = try startServer()
            try await wait("the job of the outage is done") { jobs(first, second) == Array(1...10) }
            web.send("set 6")
            try await wait("both have the setting") { [web, second].allSatisfy { $0.has("jobs.pause is 6") } }

            for child in [web, second] { child.end() }
            server.terminate()
            server.waitUntilExit()
            for (child, title) in zip(all, ["web", "worker 1", "worker 2"]) {
                print("\(title)\n" + child.lines.map { "    \($0)\n" }.joined())
            }
        }

        private func jobs(_ children: Child...) -> [Int] {
            Set(children.flatMap(\.lines).filter { $0.hasPrefix("job ") }.compactMap { Int($0.dropFirst(4)) }).sorted()
        }

        private func wait(_ what: String, until condition: () -> Bool) async throws {
            let limit = ContinuousClock.now + .seconds(40)
            while !condition() {
                guard ContinuousClock.now < limit else {
                    print("40 seconds passed before \(what)")
                    exit(1)
                }
                try await Task.sleep(for: .milliseconds(10))
            }
        }

        private func start(_ program: String, _ arguments: [String]) throws -> Process {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            try process.run()
            return process
        }

        private func freePort() throws -> Int {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(descriptor) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = inet_addr("127.0.0.1")
            var size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isBound = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
                }
            }
            guard isBound else { throw POSIXError(.EADDRINUSE) }
            return Int(UInt16(bigEndian: address.sin_port))
        }
    }

    /// A process of the fleet, seen from outside.
    final class Child: @unchecked Sendable {
        // The lock protects the lines, which another thread appends.
        private let lock = NSLock()
        private var seen: [String] = []
        private var rest = ""
        let process = Process()
        private let input = Pipe()

        init(_ role: String, _ port: Int) throws {
            process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            process.arguments = [role, "nats://127.0.0.1:\(port)"]
            process.standardInput = input
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            // A readability handler can crash at the end of a pipe on Linux.
            Thread.detachNewThread { [weak self] in
                // The methods of `FileHandle` trap if a signal interrupts them.
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = read(output.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { return }
                    self?.add(buffer[..<count])
                }
            }
        }

        var lines: [String] { lock.withLock { seen } }
        func has(_ line: String) -> Bool { lines.contains(line) }
        func note(_ line: String) { lock.withLock { seen.append(line) } }
        func send(_ command: String) { input.fileHandleForWriting.write(Data("\(command)\n".utf8)) }

        func end() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }

        private func add(_ bytes: ArraySlice<UInt8>) {
            lock.withLock {
                rest += String(decoding: bytes, as: UTF8.self)
                let parts = rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                seen += parts.dropLast()
                rest = parts.last ?? ""
            }
        }
    }
#endif
