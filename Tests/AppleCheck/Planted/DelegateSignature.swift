// error: has different optionality than required by protocol 'URLSessionTaskDelegate'
// The session never calls the method, because the last parameter is not optional.
import Foundation

final class Delegate: NSObject, URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: any Error) {}
}
