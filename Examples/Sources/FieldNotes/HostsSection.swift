import Ashlar

extension FieldNotes {
    /// Lists the host environments as a settings screen does, and selects one.
    func showHosts() {
        screen.heading("Host environments")
        do throws(NetworkError) {
            if let key = options.host {
                for section in app.hosts.rows { try app.hosts.select(key, for: section.title) }
            } else {
                app.hosts.selectPrerelease()
            }
        } catch {
            screen.problem("\(error)")
        }
        for section in app.hosts.rows {
            screen.text(section.title)
            for row in section.rows {
                screen.row((row.isSelected ? "* " : "  ") + row.key, row.title)
            }
            log.debug("\(section.title) is \(app.hosts.resolve(section.title)?.description ?? "itself")")
        }
    }
}
