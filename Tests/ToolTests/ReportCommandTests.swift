import Foundation
import Testing

/// The page of a run folder.
@Suite struct ReportCommandTests {
    @Test("A report has the sections of the files in the folder, and of the files that options name")
    func sections() throws {
        let resources = ToolProcess.root.appending(path: "Resources").path
        try withFolder(["Routes.txt": "note /notes/:id(int)\n"]) { folder in
            let page = folder.appending(path: "page.html")
            let run = try ToolProcess.run([
                "report", folder.path, "-o", page.path, "--config", resources, "-e", "debug", "--har",
                "\(resources)/notes.har",
                "--title", "A <b>title",
            ])
            #expect(run.status == 0 && run.output == page.path + "\n" && run.errors.isEmpty, "\(run.transcript)")
            let text = try String(contentsOf: page, encoding: .utf8)
            for part in [
                "/notes/:id(int)", "ApplicationConfig.debug.plist:", #""overridden":[{"#,
                #""startedDateTime":"#, #"A \u003cb\u003etitle"#,
            ] {
                #expect(text.replacing("\\/", with: "/").contains(part) as Bool, "\(part)")
            }
            #expect(!text.contains(#""hosts":["#) && !text.contains("A <b>title"))
        }
    }

    @Test("A folder without any of the files, a damaged file and a missing file are problems, and no page is written")
    func problems() throws {
        try withFolder(["empty/x.txt": "", "damaged/inspector.json": "{\"title\":"]) { folder in
            for (arguments, error) in [
                (["empty"], "error: empty: the folder contains nothing that a report shows\n"),
                (["absent"], "error: absent: no such folder\n"),
                (["empty", "--strings", "absent"], "error: absent: no such folder\n"),
            ] {
                let run = try ToolProcess.run(["report"] + arguments, in: folder)
                #expect(run.status == 1 && run.errors == error, "\(run.transcript)")
            }
            let run = try ToolProcess.run(["report", "damaged"], in: folder)
            #expect(run.status == 1 && run.errors.hasPrefix("error: "), "\(run.transcript)")
            #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "report.html").path))
        }
    }
}
