import Ashlar
