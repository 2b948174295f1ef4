#if canImport(Darwin)
    import Darwin
    import Dispatch
    import Synchronization

    /// File watching on Apple systems: a vnode source for each file and each directory on its way.
    ///
    /// A source is bound to an open file, not to a path, so all are opened anew after each event.
    final class DispatchWatch: @unchecked Sendable {
        // All state is touched on the queue only.
        private let queue = DispatchQueue(label: "ashlar.config.watch")
        private let files: [String]
        private let onChange: @Sendable () -> Void
        private var sources: [any DispatchSourceFileSystemObject] = []
        private var signatures: [FileSignature?] = []
        private var isScheduled = false

        init(_ files: [String], _ onChange: @escaping @Sendable () -> Void) {
            self.files = files
            self.onChange = onChange
            signatures = files.map { FileSignature($0) }
            queue.async { [weak self] in self?.arm() }
        }

        func cancel() {
            queue.async { self.disarm() }
        }

        deinit { disarm() }

        private func disarm() {
            for source in sources { source.cancel() }
            sources = []
        }

        private func arm() {
            disarm()
            let entries = files.reduce(into: Set<FileChain.Entry>()) { $0.formUnion(FileChain.entries(of: $1)) }
            for path in Set(entries.map(\.directory)).union(files) {
                let descriptor = open(path, O_EVTONLY | O_CLOEXEC)
                if descriptor < 0 { continue }
                let source = DispatchSource.makeFileSystemObjectSource(
                    fileDescriptor: descriptor, eventMask: [.write, .extend, .delete, .rename, .revoke], queue: queue)
                source.setEventHandler { [weak self] in self?.schedule() }
                source.setCancelHandler { close(descriptor) }
                source.activate()
                sources.append(source)
            }
        }

        private func schedule() {
            if isScheduled { return }
            isScheduled = true
            queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in self?.look() }
        }

        private func look() {
            isScheduled = false
            // Watched first and looked at second, so that nothing falls between.
            arm()
            let new = files.map { FileSignature($0) }
            if new == signatures { return }
            signatures = new
            onChange()
        }
    }
#endif
