try await runPatterns()
