import AshlarTooling
import Testing

@Test("AshlarTooling exports the umbrella's modules")
func umbrellaIsExported() {
    #expect(JSONEntity("text").string() == "text")
}
