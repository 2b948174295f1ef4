import AshlarNetworking

extension HostSwitch {
    /// The sections of a host picker: one for each canonical host, a row for each environment, with a tick at the selected
    /// one.
    ///
    /// Selecting a row selects its environment. A row whose host the user types asks for it; selecting it with an empty
    /// text uses the last one.
    public var sections: [DisplaySection] {
        rows.map { section in
            DisplaySection(
                section.title,
                items: section.rows.map { row in
                    DisplayItem(
                        row.title, id: row.key, subtitle: row.subtitle, isSelected: row.isSelected,
                        reuseIdentifier: "Host",
                        input: row.editing == .none ? nil : .init(prompt: row.prompt, text: row.typedText)
                    ) { text in
                        let typed = row.editing == .none || text?.isEmpty != false ? nil : text
                        try self.select(row.key, for: section.title, userHost: typed)
                    }
                })
        }
    }
}
