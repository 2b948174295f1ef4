import ashlar.Customization;
import ashlar.Files;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.*;
import java.util.function.Supplier;

/** Compares the values of Resources/ and Java/Fixtures with Java/golden.txt, which a Swift test also compares. */
final class Check {
    private static final List<String> LANGUAGES =
        Arrays.asList("en", "fr", "fr-CA", "de_AT", "es-MX", "es-ES", "pt-AO", "zh-CN", "zh-TW", "sv", "pl");

    private final StringBuilder output = new StringBuilder();
    /** The lines of the base language without a brand, which aren't printed again. */
    private final Set<String> known = new HashSet<>();

    public static void main(String[] arguments) throws Exception {
        Check check = new Check();
        check.print("Resources", Files.folder("Resources"));
        // Java/ is in the class path.
        check.print("Java/Fixtures", Files.classPath(Check.class.getClassLoader(), "Fixtures"));
        checkLimits();
        byte[] golden = java.nio.file.Files.readAllBytes(Path.of("Java/golden.txt"));
        if (Arrays.equals(golden, check.output.toString().getBytes(StandardCharsets.UTF_8))) {
            System.out.println("Java reads the same values as Swift");
            return;
        }
        java.nio.file.Files.writeString(Path.of(arguments[0]), check.output);
        System.err.println("Java reads other values than Swift: compare Java/golden.txt with " + arguments[0]);
        System.exit(1);
    }

    /** Requires that files of errors are read in linear time, and that no more than a thousand errors are listed. */
    private static void checkLimits() {
        for (String line : Arrays.asList("\"a\" \"b\";\n", "/* a;\n", "\"a\" = (\"b\", ;\n")) {
            byte[] file = line.repeat(20_000).getBytes(StandardCharsets.UTF_8);
            Files files = path -> path.equals("Localizable.strings") ? new java.io.ByteArrayInputStream(file) : null;
            long start = System.nanoTime();
            List<String> problems = new Customization(files, "en", Arrays.asList("en"), null).problems();
            double seconds = (System.nanoTime() - start) / 1e9;
            String last = "Localizable.strings:1001: further problems are not listed";
            if (seconds > 10 || problems.size() != 1001 || !problems.get(1000).equals(last)) {
                throw new AssertionError(line + seconds + " s, " + problems.size() + " problems");
            }
        }
    }

    private void print(String tree, Files files) {
        known.clear();
        for (String brand : Arrays.asList("", "acme", "borealis")) {
            for (String language : LANGUAGES) {
                output.append("== ").append(tree).append(' ').append(language).append(' ').append(brand).append('\n');
                Customization device =
                    new Customization(files, "en", Arrays.asList("tlh", language), brand.isEmpty() ? null : brand);
                print(device.override(language));
                if (!device.keys().equals(device.override(language).keys())) throw new AssertionError(language);
            }
        }
    }

    private void print(Customization strings) {
        Set<String> errors = new TreeSet<>();
        for (String problem : strings.problems()) errors.add("error " + location(problem));
        Set<String> lines = new LinkedHashSet<>(errors);
        for (String key : strings.keys()) {
            Set<String> places = new TreeSet<>();
            List<String> cells = new ArrayList<>();
            cells.add(quoted(key));
            cells.add(cell(strings, places, () -> quoted(strings.string(key))));
            cells.add(cell(strings, places, () -> Integer.toString(strings.intValue(key, 0))));
            cells.add(cell(strings, places, () -> Integer.toHexString(Float.floatToRawIntBits(strings.floatValue(key, 0)))));
            cells.add(cell(strings, places, () -> Boolean.toString(strings.boolValue(key, false))));
            cells.add(cell(strings, places, () -> Integer.toHexString(strings.color(key, 0))));
            if (key.contains("mage")) cells.add(cell(strings, places, () -> strings.image(key, 2)));
            lines.add(String.join(" ", cells) + String.join("", places));
        }
        boolean isBase = known.isEmpty();
        for (String line : lines) if (isBase ? known.add(line) : !known.contains(line)) output.append(line).append('\n');
    }

    /** Returns a value, or "-" if it is malformed; adds the location of the problem. */
    private static String cell(Customization strings, Set<String> places, Supplier<String> read) {
        int before = strings.problems().size();
        String value = read.get();
        List<String> problems = strings.problems();
        if (problems.size() == before) return value;
        places.add(" " + location(problems.get(before)));
        return "-";
    }

    private static String location(String problem) { return problem.substring(0, problem.indexOf(": ")); }

    /** Returns a text with the characters that would hide or end it in hexadecimal. */
    private static String quoted(String text) {
        StringBuilder result = new StringBuilder("\"");
        for (char c : text.toCharArray()) {
            if (c < ' ' || c == '"' || c == '\\') result.append(String.format("\\%02x", (int) c));
            else result.append(c);
        }
        return result.append('"').toString();
    }
}
