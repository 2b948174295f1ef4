import AshlarCustomization

let base = CustomizationLayer(
    overrides: ["greeting": .string("good morning"), "PINminimumLength": .string("4")], id: "base")
let brand = CustomizationLayer(overrides: ["greeting": .string("good day")], id: "brand")
let strings = Customization(layers: [base, brand])
precondition(strings.string("greeting") == "good day")
precondition(strings.int("PINminimumLength") == 4)
print("AshlarCustomization alone: \(strings.explain("greeting"))")
