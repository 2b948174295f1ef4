import Ashlar

@main
struct AshlarTool {
    static func main() {}
}
