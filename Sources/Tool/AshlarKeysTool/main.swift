import AshlarCore
import AshlarCustomization
import AshlarKeyGenerator

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// The program that the build plugin AshlarKeys runs: OUTPUT BASE MODULE FOLDER…; MODULE is - for the single modules.
// An error of the files stops the build; a warning doesn't.
let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 4, let base = LanguageTag(words[1]) else {
    print("error: usage: AshlarKeysTool OUTPUT BASE MODULE FOLDER...")
    exit(2)
}
let generator = KeyGenerator(
    folders: Array(words[3...]), base: base, module: words[2] == "-" ? nil : words[2])
for problem in generator.problems { print(problem) }
do throws(FileFailure) {
    let bytes = Array(generator.source.utf8)
    // An unchanged file keeps its date, so that nothing is compiled again.
    if (try? WholeFile.read(words[0])) != bytes {
        try AtomicFile.replace(words[0], with: bytes, permissions: 0o644, isOwn: false)
    }
} catch {
    print("error: \(error.path): \(error)")
    exit(1)
}
exit(generator.problems.contains { $0.severity == "error" } ? 1 : 0)
