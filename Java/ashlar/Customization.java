package ashlar;

import java.io.*;
import java.math.BigInteger;
import java.util.*;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Function;

/**
 * The strings, values and images of an app: base language, then the device's language, then the brand.
 *
 * <p>Each key has the value of the last folder that defines it. A read never fails: for a missing key or a malformed value,
 * it returns the default, which for a string is the key, and adds a problem with file and line to {@link #problems}.
 */
public final class Customization {
    private static final String TABLE = "Localizable.strings";
    static final int MAXIMUM_PROBLEMS = 1000;
    private static final String IMAGES = "png|jpg|jpeg|heic|webp|gif|pdf|svg";

    private final Files files;
    private final String base;
    private final String brand;
    /** The folders of the stack, the lowest first. */
    private final List<String> folders = new ArrayList<>();
    private final Map<String, String> texts = new TreeMap<>();
    private final Map<String, String> locations = new HashMap<>();
    private final Set<String> problems = new CopyOnWriteArraySet<>();

    /** Reads a base language, the first of the device's languages that has a folder, and a brand, which can be null. */
    public Customization(Files files, String base, List<String> languages, String brand) {
        this.files = files;
        this.base = base;
        this.brand = brand;
        add("");
        add("Base.lproj/");
        addLanguages("", languages);
        if (brand == null) return;
        add(brand + ".lproj/");
        addLanguages(brand + ".lproj/", languages);
    }

    /** Returns the stack with a language instead of the device's; reads the files again. */
    public Customization override(String language) {
        return new Customization(files, base, Collections.singletonList(language), brand);
    }

    /** The keys of all folders, sorted. */
    public Set<String> keys() { return Collections.unmodifiableSet(texts.keySet()); }

    /** The problems of files and reads, such as {@code en.lproj/Localizable.strings:3: expected a key}. */
    public List<String> problems() { return new ArrayList<>(problems); }

    public String string(String key) { return read(key, "text", key, text -> text); }
    public int intValue(String key, int otherwise) {
        return read(key, "whole number of 32 bits", otherwise, text -> integer(trim(text)));
    }

    public float floatValue(String key, float otherwise) {
        return read(key, "number", (double) otherwise, text -> number(trim(text))).floatValue();
    }

    public boolean boolValue(String key, boolean otherwise) {
        return read(key, "boolean", otherwise, text -> trim(text).matches("(?i:yes|true|y|t|1)") ? Boolean.TRUE
            : trim(text).matches("(?i:no|false|n|f|0)") ? Boolean.FALSE : null);
    }

    /** Returns a color as ARGB from {@code r,g,b}, {@code r,g,b,alpha} or {@code #rrggbb}. */
    public int color(String key, int otherwise) { return read(key, "color", otherwise, text -> color(trim(text))); }

    /** Returns the path of the image of the last folder that has it, for a screen's scale; null if none has it. */
    public String image(String key, int scale) {
        String name = texts.containsKey(key) ? read(key, "name of an image", null, text -> text) : key;
        if (name == null) return null;
        String stem = name.replaceFirst("(?i)(?<=.)\\.(?:" + IMAGES + ")\\z", "");
        String extensions = stem.equals(name) ? IMAGES : name.substring(stem.length() + 1);
        List<Integer> scales = new ArrayList<>();
        for (int i = scale; i <= Math.max(scale, 3); i++) scales.add(i);
        for (int i = scale - 1; i > 0; i--) scales.add(i);
        for (int i = folders.size() - 1; i >= 0; i--) {
            for (int size : scales) {
                for (String extension : extensions.split("\\|")) {
                    String path = folders.get(i) + stem + (size == 1 ? "" : "@" + size + "x") + "." + extension;
                    if (load(path, 0) != null) return path;
                }
            }
        }
        return read(key, "image", null, text -> null);
    }

    /** Adds the base language, and the first of the device's languages that has a folder or is the base language. */
    private void addLanguages(String parent, List<String> languages) {
        add(parent + base + ".lproj/");
        for (String language : languages) {
            List<String> chain = fallbacks(language);
            boolean isFound = chain.remove(base);
            for (String tag : chain) {
                String folder = parent + tag + ".lproj/";
                if (tag.equals(brand) || load(folder + TABLE, 0) == null) continue;
                add(folder);
                isFound = true;
            }
            if (isFound) return;
        }
    }

    /** Returns the languages that a reader of a language reads, from general to specific. */
    private static List<String> fallbacks(String language) {
        List<String> chain = new ArrayList<>();
        String tag = Locale.forLanguageTag(language.replace('_', '-')).toLanguageTag();
        while (!tag.isEmpty()) {
            chain.add(0, tag);
            if (tag.matches("es-(A[RC]|B[ORZ]|C[LORU]|DO|EC|GT|HN|MX|NI|P[AERY]|SV|U[SY]|VE)")) tag = "es-419";
            else if (tag.matches("pt-(?!BR|PT)[A-Z]{2}")) tag = "pt-PT";
            else if (tag.matches("zh-(TW|HK|MO|CN|SG)")) tag = tag.matches("zh-(CN|SG)") ? "zh-Hans" : "zh-Hant";
            else tag = tag.equals("zh-Hant") ? "" : tag.substring(0, Math.max(tag.lastIndexOf('-'), 0));
        }
        return chain;
    }

    private void add(String folder) {
        folders.add(folder);
        byte[] bytes = load(folder + TABLE, Integer.MAX_VALUE);
        if (bytes == null) return;
        StringsFile file = new StringsFile(bytes, folder + TABLE);
        texts.putAll(file.texts);
        locations.putAll(file.locations);
        problems.addAll(file.problems);
    }

    /** Returns the bytes of a file, or the first ones; null if it doesn't exist or can't be read. */
    private byte[] load(String path, int limit) {
        try (InputStream input = files.open(path)) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            byte[] part = new byte[1 << 14];
            for (int n; input != null && bytes.size() < limit && (n = input.read(part)) > 0; ) bytes.write(part, 0, n);
            return input == null ? null : bytes.toByteArray();
        } catch (IOException error) {
            if (!(error instanceof FileNotFoundException)) problems.add(path + ":1: " + error);
            return null;
        }
    }

    private <T> T read(String key, String type, T otherwise, Function<String, T> parse) {
        String text = texts.get(key);
        T value = text == null ? null : parse.apply(text);
        if (value != null) return value;
        String found = locations.containsKey(key) ? "found " + text : "no folder defines it";
        String place = locations.containsKey(key) ? locations.get(key) + ": " : "";
        if (problems.size() < MAXIMUM_PROBLEMS) problems.add(place + "\"" + key + "\": expected " + type + ", " + found);
        return otherwise;
    }

    private static String trim(String text) { return text.replaceAll("^[ \\t-\\r]+|[ \\t-\\r]+\\z", ""); }

    private static Integer integer(String text) {
        boolean isHexadecimal = text.matches("0[xX][0-9a-fA-F]+");
        if (!isHexadecimal && !text.matches("[+-]?[0-9]+")) return null;
        BigInteger number = isHexadecimal ? new BigInteger(text.substring(2), 16) : new BigInteger(text);
        return number.bitLength() < 32 ? number.intValue() : null;
    }

    private static Double number(String text) {
        if (!text.matches("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?")) return null;
        Double number = Double.valueOf(text);
        return number.isInfinite() ? null : number;
    }

    private static Integer color(String text) {
        if (text.matches("#[0-9a-fA-F]{6}")) return 0xff << 24 | Integer.parseInt(text.substring(1), 16);
        String[] parts = text.split(",", -1);
        Double alpha = parts.length == 3 ? (Double) 1.0 : parts.length == 4 ? alpha(trim(parts[3])) : null;
        if (alpha == null || alpha > 1) return null;
        int color = Math.round(alpha.floatValue() * 255);
        for (String part : Arrays.asList(parts).subList(0, 3)) {
            if (!trim(part).matches("[0-9]{1,3}") || Integer.parseInt(trim(part)) > 255) return null;
            color = color << 8 | Integer.parseInt(trim(part));
        }
        return color;
    }

    private static Double alpha(String text) {
        if (text.matches("[0-9]{1,3}")) return Integer.parseInt(text) / 255.0;
        if (text.contains("-") || !text.matches(".*\\..*|.*%")) return null;
        Double number = number(text.replaceFirst("%\\z", ""));
        return number == null || !text.endsWith("%") ? number : (Double) (number / 100);
    }
}
