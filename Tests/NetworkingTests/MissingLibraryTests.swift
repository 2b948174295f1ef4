import AshlarNetworkingTestSupport
import AshlarTestSupport

#if os(Linux)
    @testable import AshlarNetworking
    import Foundation
    import Testing

    /// A system without a libcurl that can be used, or without threads.
    @Suite(.timeLimit(.minutes(5))) struct MissingLibraryTests {
        private func check(_ library: String, _ reason: String) async throws {
            let error = try #require(throws: NetworkError.self) { try CurlTransport(library: library) }
            #expect(error.code == .unsupported)
            #expect(error.message.hasPrefix("libcurl can't be used: "))
            #expect(error.message.contains(reason), "\(error.message)")
            #expect(error.message.contains("install libcurl 7.68 or later, such as the package libcurl4"))
            let client = NetworkClient(transport: FailingTransport(error: error))
            #expect(client.transportDescription == error.message)
            let failure = await outcome { () async throws(NetworkError) in
                try await client.send(client.request(.get, "http://127.0.0.1:1/"))
            }.failure
            #expect(failure?.code == .unsupported && failure?.message == error.message)
        }

        @Test("Without libcurl, requests fail with an error that says what to install")
        func missing() async throws {
            try await check("libnowhere.so.9", "libnowhere.so.9: cannot open shared object file")
            try await check("libz.so.1", "libz.so.1 has no function curl_global_init")
        }

        @Test("An old libcurl isn't used, and its version is reported")
        func old() async throws {
            let base = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-\(UUID().uuidString)").path
            defer { for end in [".c", ".so"] { try? FileManager.default.removeItem(atPath: base + end) } }
            let names = [
                "easy_setopt", "easy_getinfo", "multi_setopt", "easy_init", "easy_cleanup", "easy_pause",
                "easy_strerror",
                "slist_append", "slist_free_all", "multi_init", "multi_cleanup", "multi_add_handle",
                "multi_remove_handle",
                "multi_socket_action", "multi_assign", "multi_info_read", "global_init",
            ]
            let source =
                names.map { "int curl_\($0)(void) { return 0; }\n" }.joined()
                + "static struct { int age; const char *version; unsigned n; const char *host; int f; } i = {0, \"7.67.0\", 0x074300, \"\", 0};\n"
                + "void *curl_version_info(int a) { (void)a; return &i; }\n"
            try Data(source.utf8).write(to: URL(fileURLWithPath: base + ".c"))
            let status = try await offPool {
                let process = Process()
                // Swift's toolchain contains this compiler.
                process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                process.arguments = ["clang", "-shared", "-fPIC", "-o", base + ".so", base + ".c"]
                try process.run()
                process.waitUntilExit()
                return process.terminationStatus
            }
            #expect(status == 0)
            try await check(base + ".so", "is version 7.67.0, needed is 7.68.0 or later")
        }

        @Test(
            "Without a thread, a transport can't be created, and leaves no descriptor open",
            .enabled(if: OtherUser.isAvailable, "this process can't become another user"))
        func threads() async {
            await #expect(processExitsWith: .success) {
                // It has loaded libcurl, and its descriptors stay open.
                let transport = try CurlTransport()
                // The limit doesn't apply to root.
                try #require(setuid(OtherUser.id) == 0)
                var limit = rlimit(rlim_cur: 0, rlim_max: 0)
                try #require(setrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0)
                let free = Self.freeDescriptor()
                for _ in 0..<3 {
                    let error = try #require(throws: NetworkError.self) { try CurlTransport() }
                    #expect(error.code == .unsupported)
                    #expect(error.message == "the system can't create a thread for the transport")
                }
                #expect(Self.freeDescriptor() == free)
                withExtendedLifetime(transport) {}
            }
        }

        /// The number that the next descriptor gets.
        private static func freeDescriptor() -> Int32 {
            let descriptor = dup(0)
            close(descriptor)
            return descriptor
        }
    }
#endif
