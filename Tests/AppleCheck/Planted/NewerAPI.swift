// error: 'InlineArray' is only available in
// The standard library has the type since macOS 26 and iOS 26.
func sum(_ numbers: InlineArray<3, Int>) -> Int {
    numbers[0] + numbers[1] + numbers[2]
}
