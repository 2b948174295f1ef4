@_exported import Ashlar
