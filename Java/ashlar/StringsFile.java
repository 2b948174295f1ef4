package ashlar;

import java.nio.*;
import java.nio.charset.*;
import java.text.ParseException;
import java.util.*;
import java.util.regex.*;

/** The entries of one strings file. A statement with an error is reported; reading continues at the next one. */
final class StringsFile {
    private static final String[][] MARKS = {
        {"\0\0þÿ", "UTF-32BE"}, {"ÿþ\0\0", "UTF-32LE"}, {"ï»¿", "UTF-8"}, {"ÿþ", "UTF-16LE"}, {"þÿ", "UTF-16BE"}};
    /** The upper half of the NeXTSTEP character set, which octal escapes use. */
    private static final String NEXTSTEP = "\u00a0ÀÁÂÃÄÅÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖÙÚÛÜÝÞµ×÷©¡¢£⁄¥ƒ§¤’“«‹›ﬁﬂ®–†‡·¦¶•‚„”»…‰¬¿"
        + "¹ˋ´ˆ˜¯˘˙¨²˚¸³˝˛ˇ—±¼½¾àáâãäåçèéêëìÆíªîïðñŁØŒºòóôõöæùúûıüýłøœßþÿ\0\0";
    private static final int MAXIMUM_DEPTH = 100;

    // Android's \w and \s differ from Java's, so the patterns name the characters.
    private static final Pattern SPACE =
        Pattern.compile("[ \\t-\\r\\u2028\\u2029]+|//[^\\n\\r\\u2028\\u2029]*|/\\*(?s:.*?)\\*/");
    private static final Pattern BARE = Pattern.compile("[a-zA-Z0-9_$/:.\\-]+");
    private static final Pattern DATA = Pattern.compile("(?:[0-9a-fA-F]{2}|[ \\t\\n\\r\\u2028\\u2029])*+");
    private static final Pattern ESCAPE = Pattern.compile("([0-7]{1,3})|U([0-9a-fA-F]{1,4})|(?s:.)");
    private static final Pattern STATEMENT_END = Pattern.compile(";[ \\t]*(?=[\\n\\r]|\\z)");

    /** The texts by key. The text of a list, a dictionary or data is null. */
    final Map<String, String> texts = new HashMap<>();
    final Map<String, String> locations = new HashMap<>();
    /** The errors, each with file and line. */
    final List<String> problems = new ArrayList<>();
    private final String file;
    private String text = "";
    private int at;
    private int lastCommentEnd;
    /** An offset and the number of lines before it, from which the next lines are counted. */
    private int counted, lines;

    StringsFile(byte[] bytes, String file) {
        this.file = file;
        text = decode(bytes).replaceAll("\\p{Cs}", "\ufffd");
        if (text.trim().matches("(?s)(bplist00|<(\\?xml|!DOCTYPE|plist|!--)).*")) report(0, "unsupported property list");
        else statements();
    }

    private String decode(byte[] bytes) {
        String latin = new String(bytes, StandardCharsets.ISO_8859_1);
        for (String[] mark : MARKS) if (latin.startsWith(mark[0])) return decode(bytes, mark[0].length(), mark[1]);
        int sample = Math.min(bytes.length, 1024) & ~1;
        int[] zeros = new int[2];
        for (int i = 0; i < sample; i++) if (bytes[i] == 0) zeros[i & 1]++;
        int side = zeros[1] > zeros[0] ? 1 : 0;
        boolean isUTF8 = new String(bytes, 0, sample, StandardCharsets.UTF_8).matches("(?s)[^\ufffd]*.?");
        boolean isUTF16 = zeros[side] >= Math.max(2, sample / (isUTF8 ? 6 : 16)) && zeros[side] > 4 * zeros[1 - side];
        return decode(bytes, 0, !isUTF16 ? "UTF-8" : side == 1 ? "UTF-16LE" : "UTF-16BE");
    }

    private String decode(byte[] bytes, int start, String charset) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, start, bytes.length - start);
        if (charset.endsWith("LE")) buffer.order(ByteOrder.LITTLE_ENDIAN);
        // Java's decoder of UTF-16 drops the character after an unpaired surrogate.
        if (charset.startsWith("UTF-16")) return buffer.asCharBuffer().toString();
        CharBuffer result = CharBuffer.allocate(bytes.length);
        boolean isMalformed = Charset.forName(charset).newDecoder().decode(buffer, result, true).isError();
        result.flip();
        text = result.toString();
        if (isMalformed) report(text.length(), "the bytes aren't text in " + charset);
        return isMalformed ? "" : text;
    }

    private void statements() {
        lastCommentEnd = text.lastIndexOf("*/");
        int brace = -1;
        for (boolean isFirst = true;; isFirst = false) {
            int start = -1;
            try {
                if (!skipSpace()) break;
                start = at;
                if (isFirst && take('{')) {
                    brace = start;
                } else if (brace >= 0 && take('}')) {
                    brace = -1;
                    if (skipSpace()) throw new ParseException("expected the end of the file after \"}\"", at);
                } else {
                    statement(start);
                }
            } catch (ParseException error) {
                // Reading continues after the next semicolon at the end of a line.
                report(error.getErrorOffset(), error.getMessage());
                Matcher end = STATEMENT_END.matcher(text);
                at = end.find(start < 0 ? error.getErrorOffset() : start) ? end.end() : text.length();
            }
        }
        if (brace >= 0) report(brace, "unterminated dictionary");
    }

    private void statement(int start) throws ParseException {
        String key = string();
        boolean hasValue = skipSpace() && take('=');
        String value = hasValue ? value(0) : key;
        int end = at;
        if (!skipSpace() || !take(';')) throw new ParseException("expected \";\"", hasValue ? end : at);
        texts.put(key, value);
        locations.put(key, location(start));
    }

    private String string() throws ParseException {
        String string = at < text.length() && "\"'".indexOf(text.charAt(at)) >= 0 ? quoted() : take(BARE);
        if (string == null) throw new ParseException("expected a string", at);
        return string;
    }

    /** Reads a string, or a list, a dictionary or data, for which it returns null. */
    private String value(int depth) throws ParseException {
        int start = skipSpace() ? at : text.length();
        if (depth > MAXIMUM_DEPTH) throw new ParseException("values are nested too deep", start);
        int kind = start < text.length() ? "<({".indexOf(text.charAt(at)) : -1;
        if (kind < 0) return string();
        at++;
        if (kind == 0) take(DATA);
        char close = ">)}".charAt(kind);
        while (kind > 0 && skipSpace() && text.charAt(at) != close) {
            if (kind == 2) string();
            if (kind == 1 || skipSpace() && take('=')) value(depth + 1);
            if (skipSpace() && take(kind == 1 ? ',' : ';')) continue;
            if (kind == 2) throw new ParseException("expected \";\" in a dictionary", at);
            break;
        }
        if (!skipSpace() || !take(close)) throw new ParseException("malformed value", at < text.length() ? at : start);
        return null;
    }

    /** Skips whitespace and comments; returns false at the end of the file. */
    private boolean skipSpace() throws ParseException {
        do {
            if (text.startsWith("/*", at) && at + 2 > lastCommentEnd) throw new ParseException("unterminated comment", at);
        } while (at < text.length() && take(SPACE) != null);
        return at < text.length();
    }

    private String quoted() throws ParseException {
        int start = at;
        char quote = text.charAt(at++);
        StringBuilder result = new StringBuilder();
        while (at < text.length() && text.charAt(at) != quote) {
            char c = text.charAt(at++);
            if (c != '\\') result.append(c);
            else if (at < text.length()) result.append(escape());
        }
        if (at == text.length()) throw new ParseException("unterminated string", start);
        at++;
        return result.toString().replaceAll("\\p{Cs}", "\ufffd");
    }

    private String escape() {
        Matcher match = ESCAPE.matcher(text).region(at, text.length());
        match.lookingAt();
        at = match.end();
        if (match.group(2) != null) return String.valueOf((char) Integer.parseInt(match.group(2), 16));
        if (match.group(1) != null) {
            int octal = Integer.parseInt(match.group(1), 8) & 0xff;
            return String.valueOf(octal < 0x80 ? (char) octal : NEXTSTEP.charAt(octal - 0x80));
        }
        int simple = "abfnrtv".indexOf(match.group());
        if (simple >= 0) return String.valueOf("\u0007\b\f\n\r\t\u000b".charAt(simple));
        if (!match.group().equals("U")) return match.group();
        report(at - 2, "expected one to four hexadecimal digits after \\U");
        return "\\U";
    }

    private String take(Pattern pattern) {
        Matcher match = pattern.matcher(text).region(at, text.length());
        if (!match.lookingAt()) return null;
        at = match.end();
        return match.group();
    }

    private boolean take(char c) {
        boolean isHere = text.charAt(at) == c;
        if (isHere) at++;
        return isHere;
    }

    private void report(int offset, String message) {
        int rest = Customization.MAXIMUM_PROBLEMS - problems.size();
        if (rest >= 0) problems.add(location(offset) + ": " + (rest > 0 ? message : "further problems are not listed"));
    }

    private String location(int offset) {
        if (offset < counted) counted = lines = 0;
        lines += text.substring(counted, offset).split("\\r\\n?|\\n", -1).length - 1;
        counted = offset;
        return file + ":" + (lines + 1);
    }
}
