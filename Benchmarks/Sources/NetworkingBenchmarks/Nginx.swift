import Foundation

/// nginx with one worker on 127.0.0.1 and a free port; ends with this object.
final class Nginx {
    let port: Int
    let folder: URL
    private let process = Process()

    static let body = #"{"hello":"world","n":[1,2,3]}"#
    var url: String { "http://127.0.0.1:\(port)" }

    /// Starts nginx, or prints the reason and returns nil.
    init?() {
        guard
            let program = ["/usr/sbin/nginx", "/usr/local/sbin/nginx"].first(
                where: FileManager.default.isExecutableFile)
        else {
            print("nginx is not installed (apt-get install nginx-light): nothing is measured")
            return nil
        }
        port = Int.random(in: 20_000...40_000)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("ashlar-bench-\(port)")
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data(Self.body.utf8).write(to: folder.appendingPathComponent("hello.json"))
            let large = folder.appendingPathComponent("large.bin")
            _ = FileManager.default.createFile(atPath: large.path, contents: nil)
            try FileHandle(forWritingTo: large).truncate(atOffset: 1 << 30)  // a sparse file
            let configuration = folder.appendingPathComponent("nginx.conf")
            try Data(Self.configuration(port: port, folder: folder.path).utf8).write(to: configuration)
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = ["-p", folder.path, "-c", configuration.path, "-e", folder.path + "/error.log"]
            try process.run()
        } catch {
            print("nginx cannot be started: \(error)")
            return nil
        }
        Thread.sleep(forTimeInterval: 0.3)
        guard process.isRunning else {
            print(
                "nginx ended at once: \((try? String(contentsOf: folder.appendingPathComponent("error.log"), encoding: .utf8)) ?? "")"
            )
            return nil
        }
    }

    var identifier: pid_t { process.processIdentifier }

    func stop() {
        process.terminate()
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    private static func configuration(port: Int, folder: String) -> String {
        """
        daemon off;
        worker_processes 1;
        pid "\(folder)/nginx.pid";
        error_log "\(folder)/error.log";
        events { worker_connections 1024; }
        http {
            access_log off;
            sendfile on;
            tcp_nopush on;
            keepalive_requests 100000000;
            keepalive_timeout 600s;
            client_max_body_size 0;
            client_body_temp_path "\(folder)/body";
            proxy_temp_path "\(folder)/proxy";
            fastcgi_temp_path "\(folder)/fastcgi";
            uwsgi_temp_path "\(folder)/uwsgi";
            scgi_temp_path "\(folder)/scgi";
            default_type application/json;
            server {
                listen 127.0.0.1:\(port) backlog=512;
                location / { root "\(folder)"; }
                location /discard { return 200 "ok"; }
            }
        }
        """
    }
}
