import AshlarOriginals

// The sample of FT_LOGG. The class of a line is that of its file.
extension FTAsyncRequest {
    static func get() {
        let requeststr = "http://www.4gsecure.fr/test.php"
        FT_LOGG(FT_DEBUGGING, "URL = %@", requeststr)
    }
}
