// The stub of Foundation declares what is used.
@_exported import Foundation
