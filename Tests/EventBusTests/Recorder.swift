import AshlarCore
import AshlarEventBus
import AshlarTestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A navigator that records its places.
final class RecordingNavigator<Place: Sendable>: Navigator {
    private let shown = Recorder<Place>()
    var places: [Place] { shown.items }
    func show(_ place: Place, for navigation: Navigation) async throws { shown.note(place) }
}

final class Thing: Sendable {}

final class Keeper: WatchOwner {
    let watches = WatchBag()
    let name: String
    init(_ name: String = "keeper") { self.name = name }
}

struct Oops: Error, Equatable {
    let number: Int
    init(_ number: Int = 0) { self.number = number }
}

/// The package's mutex, also in files that import `Synchronization`.
typealias Mutex = AshlarCore.Mutex

/// Runs a closure on a thread with a stack of 512 KiB, the default of Apple's secondary threads.
func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
        let work = Unmanaged.passRetained(
            SmallStackWork {
                body()
                continuation.resume()
            })
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, 512 * 1024)
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = pthread_create(
            &thread, &attributes,
            { raw in
                #if canImport(Darwin)
                    let pointer = raw
                #else
                    guard let pointer = raw else { return nil }
                #endif
                Unmanaged<SmallStackWork>.fromOpaque(pointer).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        pthread_attr_destroy(&attributes)
        #expect(code == 0)
        #if canImport(Darwin)
            if let thread { pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
    }
}

private final class SmallStackWork: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Whether the long tests run with their full counts: `ASHLAR_SOAK=1`.
let soak = getenv("ASHLAR_SOAK").map { $0[0] == 49 } ?? false
