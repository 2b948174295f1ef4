import AshlarCustomization

/// A text of this module's own views, in the language of the app's strings or in English.
///
/// A string of the app with the key, such as `ashlar.cancel`, replaces it.
enum InterfaceText: String, CaseIterable {
    // The order is that of the table.
    case ok, cancel, hosts, debug, refresh, search, copy, share
    case issues, app, requests, events, configuration, customization, log

    /// The text for a customization, or in English.
    func text(_ strings: Customization? = nil) -> String {
        guard let strings else { return Self.table["en"]?[self] ?? rawValue }
        if let own = strings[CustomizationKey<String>("ashlar.\(rawValue)")] { return own }
        let language = strings.languageMatch?.language ?? strings.baseLanguage
        let texts = language.fallbacks.lazy.compactMap { Self.table[$0.description] }.first ?? Self.table["en"]
        return texts?[self] ?? rawValue
    }

    /// The languages with texts of their own.
    static var languages: [String] { table.keys.sorted() }

    private static let table: [String: [InterfaceText: String]] = [
        "de": """
        OK, Abbrechen, Hosts, Debug, Aktualisieren, Suchen, Kopieren, Teilen
        Probleme, App, Anfragen, Ereignisse, Konfiguration, Anpassung, Protokoll
        """,
        "en": """
        OK, Cancel, Hosts, Debug, Refresh, Search, Copy, Share
        Issues, App, Requests, Events, Configuration, Customization, Log
        """,
        "es": """
        Aceptar, Cancelar, Servidores, Depuración, Actualizar, Buscar, Copiar, Compartir
        Problemas, App, Solicitudes, Eventos, Configuración, Personalización, Registro
        """,
        "fr": """
        OK, Annuler, Hôtes, Débogage, Actualiser, Rechercher, Copier, Partager
        Problèmes, App, Requêtes, Événements, Configuration, Personnalisation, Journal
        """,
        "it": """
        OK, Annulla, Host, Debug, Aggiorna, Cerca, Copia, Condividi
        Problemi, App, Richieste, Eventi, Configurazione, Personalizzazione, Registro
        """,
        "ja": """
        OK, キャンセル, ホスト, デバッグ, 更新, 検索, コピー, 共有
        問題, アプリ, リクエスト, イベント, 設定, カスタマイズ, ログ
        """,
        "pt": """
        OK, Cancelar, Hosts, Depuração, Atualizar, Buscar, Copiar, Compartilhar
        Problemas, App, Solicitações, Eventos, Configuração, Personalização, Registro
        """,
        "zh": """
        好, 取消, 主机, 调试, 刷新, 搜索, 拷贝, 共享
        问题, App, 请求, 事件, 配置, 自定义, 日志
        """,
    ].mapValues { text in
        let words = text.split { $0 == "," || $0.isWhitespace }.map(String.init)
        return Dictionary(zip(allCases, words)) { $1 }
    }
}
