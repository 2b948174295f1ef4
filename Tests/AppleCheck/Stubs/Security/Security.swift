// Foundation's stub contains the declarations of Security that the package uses.
@_exported import Foundation
