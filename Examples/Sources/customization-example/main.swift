// Reads .lproj folders in layers (base language, device language, brand), and switches language and brand.
import AshlarCustomization

let folder = CommandLine.arguments.dropFirst().first ?? "Resources"
let center = CustomizationCenter(Customization(path: folder, languages: ["fr-CA"], brand: "acme"))
for diagnostic in center.current.diagnostics { print(diagnostic) }

print(center.current.string("CancelString"))
print(center.current.int("PINminimumLength"), center.current.bool("isPINrequired"))
print(center.current.color("TabBarColor"))
print(center.current.explain("app.title"))

extension CustomizationKey<Double> {
    static let interval: Self = "TimeIntervalInSeconds"
}

let english = center.update { $0.switching(language: "en").switching(brand: "borealis") }
print(english.string("app.title"), english[.interval] ?? 0)
