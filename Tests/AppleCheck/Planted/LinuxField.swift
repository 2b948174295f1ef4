// error: value of type 'stat' has no member 'st_mtim'
// Linux calls the field `st_mtim`, Darwin `st_mtimespec`.
import Darwin

func modificationTime(of status: stat) -> Int {
    status.st_mtim.tv_sec
}
