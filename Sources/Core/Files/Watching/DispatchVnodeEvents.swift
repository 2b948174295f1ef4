#if canImport(Darwin)
    import Darwin
    import Dispatch

    /// Vnode events of Dispatch, delivered on a serial queue.
    final class DispatchVnodeEvents: VnodeEvents {
        private let queue = DispatchQueue(label: "ashlar.path-watch", qos: .utility)

        var now: Int64 { Monotonic.now }

        func after(_ nanoseconds: Int64, _ body: @escaping @Sendable () -> Void) {
            queue.asyncAfter(deadline: .now() + .milliseconds(Int(nanoseconds / 1_000_000) + 1), execute: body)
        }

        func open(_ path: String, onEvent: @escaping @Sendable (_ isWrite: Bool) -> Void) -> VnodeSource? {
            let descriptor = Darwin.open(path, O_EVTONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            guard let status = FileStatus(descriptor: descriptor) else {
                close(descriptor)
                return nil
            }
            let isDirectory = status.kind == .directory
            // Sources are thread-safe, but their protocol isn't declared as Sendable in every SDK.
            nonisolated(unsafe) let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: [.write, .extend, .attrib, .delete, .rename, .revoke],
                queue: queue)
            source.setEventHandler { [unowned source] in
                onEvent(!isDirectory && source.data.isDisjoint(with: [.delete, .rename, .revoke]))
            }
            source.setCancelHandler { close(descriptor) }
            source.activate()
            return VnodeSource(
                device: status.signature.device, inode: status.signature.inode, cancel: { source.cancel() })
        }
    }
#endif
