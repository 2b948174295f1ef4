import AshlarCustomization
import Testing

@Suite struct PluralTextTests {
    private typealias Variable = CustomizationMessage.Variable

    private func text(
        _ message: CustomizationMessage, _ values: FormatValue..., language: LanguageConventions = "en"
    ) -> String {
        let output = message.formatted(values, language: language)
        #expect(output.problems.isEmpty)
        return output.text
    }

    @Test(
        "The number chooses the form",
        arguments: [
            (0, "0 файлов"), (1, "1 файл"), (2, "2 файла"), (5, "5 файлов"), (11, "11 файлов"), (21, "21 файл"),
            (104, "104 файла"), (-1, "-1 файл"),
        ])
    func russian(count: Int64, expected: String) {
        let message = CustomizationMessage(forms: [
            .one: "%lld файл", .few: "%lld файла", .many: "%lld файлов", .other: "%lld файла",
        ])
        #expect(text(message, .int(count), language: "ru") == expected)
    }

    @Test("All six forms of Arabic are used")
    func arabic() {
        let message = CustomizationMessage(forms: [
            .zero: "0", .one: "1", .two: "2", .few: "3–10 %d", .many: "11–99 %d", .other: "100 %d",
        ])
        let expected = [
            0: "0", 1: "1", 2: "2", 3: "3–10 3", 10: "3–10 10", 11: "11–99 11", 99: "11–99 99", 100: "100 100",
        ]
        for (count, form) in expected { #expect(text(message, .int(Int64(count)), language: "ar") == form) }
    }

    @Test("zero means exactly 0 in languages without the category too")
    func exactZero() {
        let message = CustomizationMessage(forms: [
            .zero: "nothing", .one: "%d thing", .other: "%d things",
        ])
        #expect(text(message, .int(0)) == "nothing")
        #expect(text(message, .double(0)) == "nothing")
        #expect(text(message, .int(1)) == "1 thing")
        #expect(
            text(CustomizationMessage(forms: [.one: "%d thing", .other: "%d things"]), .int(0))
                == "0 things")
        // Latvian has zero for 0, 10, 11 and 20.
        let latvian = CustomizationMessage(forms: [.zero: "z %d", .one: "o %d", .other: "x %d"])
        #expect(
            [0, 1, 10, 11, 20, 21, 22].map { text(latvian, .int($0), language: "lv") } == [
                "z 0", "o 1", "z 10", "z 11", "z 20", "o 21", "x 22",
            ])
    }

    @Test("Digits after the decimal point affect the category if the type shows them")
    func visibleDigits() {
        let stars = CustomizationMessage(
            forms: [.one: "%.1f star", .other: "%.1f stars"], valueType: ".1f")
        #expect(text(stars, .double(1)) == "1.0 stars")
        #expect(text(stars, .int(1)) == "1.0 stars")
        let free = CustomizationMessage(forms: [.one: "%@ star", .other: "%@ stars"], valueType: "f")
        #expect(text(free, .double(1)) == "1 star")
        #expect(text(free, .double(1.5)) == "1.5 stars")
        #expect(text(free, .double(.infinity)) == "inf stars")
        let wide = CustomizationMessage(forms: [.one: "%5.1f star", .other: "%5.1f stars"], valueType: "5.1f")
        #expect(text(wide, .double(1)) == "  1.0 stars")
    }

    @Test("Several variables, nested ones and other placeholders take the arguments in order")
    func numbering() {
        let files = Variable(forms: [.one: "one file in %#@folders@", .other: "%d files in %#@folders@"])
        let folders = Variable(forms: [.one: "one folder", .other: "%d folders"])
        let message = CustomizationMessage(
            format: "%#@files@, by %@", variables: ["files": files, "folders": folders])
        #expect(text(message, .int(1), .int(1), .string("Zoë")) == "one file in one folder, by Zoë")
        #expect(text(message, .int(3), .int(1), .string("Zoë")) == "3 files in one folder, by Zoë")
        #expect(text(message, .int(1), .int(4), .string("Zoë")) == "one file in 4 folders, by Zoë")

        let uneven = CustomizationMessage(
            format: "%#@files@, by %@",
            variables: [
                "files": Variable(forms: [.one: "a file", .other: "%d files in %#@folders@"]), "folders": folders,
            ])
        #expect(text(uneven, .int(1), .int(9), .string("Zoë")) == "a file, by Zoë")
        #expect(text(uneven, .int(2), .int(9), .string("Zoë")) == "2 files in 9 folders, by Zoë")
    }

    @Test("Positions count over the whole message, and repeat the number")
    func positions() {
        let message = CustomizationMessage(
            format: "%2$@: %1$#@files@",
            variables: ["files": Variable(forms: [.one: "%1$d file (%2$@)", .other: "%d/%1$d files (%2$@)"])])
        #expect(text(message, .int(1), .string("a")) == "a: 1 file (a)")
        #expect(text(message, .int(3), .string("a")) == "a: 3/3 files (a)")
        let two = CustomizationMessage(
            format: "%#@a@ and %#@b@",
            variables: [
                "a": Variable(forms: [.one: "%d cat", .other: "%d cats"]),
                "b": Variable(forms: [.one: "%d dog", .other: "%d dogs"]),
            ])
        #expect(text(two, .int(1), .int(2)) == "1 cat and 2 dogs")
        let extra = CustomizationMessage(
            format: "%#@a@ %@",
            variables: ["a": Variable(forms: [.one: "%d cat", .other: "%d cats of %@"])])
        #expect(text(extra, .int(2), .string("Tom"), .string("!")) == "2 cats of Tom !")
        #expect(text(extra, .int(1), .string("Tom"), .string("!")) == "1 cat !")
        let between = CustomizationMessage(
            format: "%#@a@, %#@b@",
            variables: [
                "a": Variable(forms: [.one: "%d cat", .other: "%d cats of %#@c@"]),
                "c": Variable(forms: [.other: "%d"]),
                "b": Variable(forms: [.one: "%d dog", .other: "%d dogs"]),
            ])
        #expect(text(between, .int(2), .int(7), .int(1)) == "2 cats of 7, 1 dog")
        #expect(text(between, .int(1), .int(7), .int(3)) == "1 cat, 3 dogs", "whichever category is chosen")
        // The same variable twice takes the same argument.
        let twice = CustomizationMessage(
            format: "%#@a@ = %#@a@, %@", variables: ["a": Variable(forms: [.other: "%d"])])
        #expect(text(twice, .int(5), .string("end")) == "5 = 5, end")
    }

    @Test("A missing category falls back to other")
    func fallback() {
        #expect(text(CustomizationMessage(forms: [.other: "%d files"]), .int(1)) == "1 files")
    }

    @Test("A placeholder without a value stays visible and is reported")
    func problems() {
        func codes(_ message: CustomizationMessage, _ values: FormatValue..., gives text: String)
            -> [String]
        {
            let output = message.formatted(values)
            #expect(output.text == text)
            return output.problems.map(\.code.rawValue)
        }
        let message = CustomizationMessage(forms: [.one: "one", .other: "%lld files"])
        #expect(codes(message, gives: "%#@value@") == ["format-missing-argument"])
        #expect(
            codes(message, .string("x"), gives: "x files") == [
                "format-type-mismatch", "format-type-mismatch",
            ])
        #expect(
            codes(CustomizationMessage(forms: [.one: "1"]), .int(2), gives: "%#@value@") == [
                "format-missing-category"
            ])
        #expect(
            codes(CustomizationMessage(format: "%#@a@", variables: [:]), .int(1), gives: "%#@a@") == [
                "format-unknown-variable"
            ])
        let cycle = CustomizationMessage(
            format: "%#@a@",
            variables: ["a": Variable(forms: [.other: "<%#@b@>"]), "b": Variable(forms: [.other: "(%#@a@)"])])
        #expect(codes(cycle, .int(2), .int(3), gives: "<(%#@a@)>") == ["format-cyclic-variable"])
    }

    @Test("Variables that multiply don't exhaust the memory", .timeLimit(.minutes(5)))
    func explosion() {
        var variables: [String: CustomizationMessage.Variable] = [:]
        for level in 0..<40 {
            variables["v\(level)"] = Variable(forms: [.other: "%#@v\(level + 1)@%#@v\(level + 1)@"])
        }
        variables["v40"] = Variable(forms: [.other: "x"])
        let output = CustomizationMessage(format: "%#@v0@", variables: variables).formatted(
            Array(repeating: .int(2), count: 50))
        #expect(output.text.utf8.count < 100_000)
        #expect(output.problems.contains { $0.code == .cyclicVariable })
    }

    @Test("A variable that the text omits takes no argument's name")
    func omitted() {
        let message = CustomizationMessage(
            format: "%#@files@",
            variables: [
                "files": Variable(forms: [.one: "%d file", .other: "%d files"]),
                "folders": Variable(forms: [.other: "%d folders"]),
            ])
        #expect(message.formatted(["files": 1, "folders": 2]).text == "1 file")
    }
}
