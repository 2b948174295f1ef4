package ashlar;

import java.io.*;

/** Opens the files of a tree of {@code .lproj} folders. On Android: {@code context.getAssets()::open}. */
public interface Files {
    /** Opens a file, such as {@code fr.lproj/Localizable.strings}; null or FileNotFoundException if it doesn't exist. */
    InputStream open(String path) throws IOException;

    /** The files of a folder. */
    static Files folder(String root) {
        return path -> new File(root, path).isFile() ? new FileInputStream(new File(root, path)) : null;
    }

    /** The resources of a class path below a path, such as {@code strings}. */
    static Files classPath(ClassLoader loader, String root) {
        return path -> loader.getResourceAsStream(root + "/" + path);
    }
}
