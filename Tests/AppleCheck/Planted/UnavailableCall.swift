// error: 'system' is unavailable
import Darwin

func runShell() -> Int32 {
    system("true")
}
