import AshlarCore

/// Completion of command lines in shells.
///
/// The script of a shell runs `ashlar complete -- WORD...` for the words up to the cursor. It prints one candidate a line,
/// with its description after a tab. The lines `:files` and `:folders` ask the shell for its own completion of paths.
enum Completion {
    static let files = ":files"
    static let folders = ":folders"

    /// Returns the candidates for the last word of a command line.
    static func candidates(_ words: [String], in root: Command) -> [String] {
        var words = words.isEmpty ? [""] : words
        // Bash splits `--name=value` into three words, and replaces the last one only.
        let isSplit = words.count > 1 && (words.last == "=" || words[words.count - 2] == "=")
        if isSplit {
            if words.last == "=" { words.append("") }
            words.remove(at: words.count - 2)
        }
        let last = words.removeLast()
        let (path, count) = root.command(at: words)
        let command = path[path.count - 1]
        let rest = Array(words[count...])
        if rest.contains("--") {
            return command.takesProgramArguments ? [] : nextOperands(rest, command, last)
        }
        let operands = self.operands(rest, command)
        if let option = rest.last.flatMap({ pendingOption($0, command) }) {
            return self.words(of: option.kind, last, operands)
        }
        if last.hasPrefix("--"), let end = last.firstIndex(of: "=") {
            let name = last[..<end]
            guard let option = command.allOptions.first(where: { $0.name == name }) else { return [] }
            let start = String(last[last.index(after: end)...])
            return self.words(of: option.kind, start, operands).map { "\(name)=\($0)" }
        }
        if last.hasPrefix("-") {
            return command.allOptions.map { "\($0.name)\t\($0.help)" }.filter { $0.hasPrefix(last) }
        }
        if !command.commands.isEmpty {
            guard rest.allSatisfy({ $0.hasPrefix("-") }) else { return [] }
            return command.commands.filter { $0.name.hasPrefix(last) }.map { "\($0.name)\t\($0.summary)" }
        }
        return nextOperands(rest, command, last)
    }

    /// The option whose value is the word after a word.
    private static func pendingOption(_ word: String, _ command: Command) -> Option? {
        guard word.hasPrefix("-"), !word.contains("=") else { return nil }
        return command.allOptions.first { option in
            option.value != nil && (option.name == word || option.letter.map { "-\($0)" } == word)
        }
    }

    /// The words that aren't options or their values.
    private static func operands(_ words: [String], _ command: Command) -> [String] {
        var operands: [String] = []
        var (isValue, isEnded) = (false, false)
        for word in words {
            if isEnded || (!isValue && !word.hasPrefix("-")) { operands.append(word) }
            isValue = !isEnded && pendingOption(word, command) != nil
            isEnded = isEnded || word == "--"
        }
        return operands
    }

    /// The candidates for the next operand.
    private static func nextOperands(_ words: [String], _ command: Command, _ start: String) -> [String] {
        let given = operands(words, command)
        let last = command.operands.last.flatMap { $0.isRepeatable ? $0 : nil }
        guard let next = given.count < command.operands.count ? command.operands[given.count] : last else { return [] }
        return self.words(of: next.kind, start, given)
    }

    private static func words(of kind: WordKind, _ start: String, _ operands: [String]) -> [String] {
        switch kind {
        case .text, .number: []
        case .file: [files]
        case .folder: [folders]
        case .choice(let choices): choices.filter { $0.hasPrefix(start) }
        // A name with a line end or a control character can't be a line of candidates.
        case .known(let find): find(operands).filter { $0.hasPrefix(start) && $0.onOneLine == $0 }
        case .language: Tree.languages(operands).filter { $0.hasPrefix(start) }
        }
    }

    /// Returns the script of a shell; nil for an unknown shell.
    static func script(_ shell: String) -> String? { scripts[shell] }

    static let shells = ["bash", "fish", "zsh"]

    private static let scripts = [
        "bash": #"""
        # Completion of ashlar in bash: source this file, or install it as bash-completion/completions/ashlar.
        _ashlar() {
            local word=${COMP_WORDS[COMP_CWORD]} line
            [ "$word" = "=" ] && word=
            COMPREPLY=()
            while IFS= read -r line; do
                case $line in
                    :files) compopt -o filenames; while IFS= read -r line; do COMPREPLY+=("$line"); done \
                        < <(compgen -f -- "$word") ;;
                    :folders) compopt -o filenames; while IFS= read -r line; do COMPREPLY+=("$line"); done \
                        < <(compgen -d -- "$word") ;;
                    *) printf -v line %q "${line%%$'\t'*}"; COMPREPLY+=("$line") ;;
                esac
            done < <(command ashlar complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
        }
        complete -F _ashlar ashlar

        """#,
        "zsh": #"""
        #compdef ashlar
        # Completion of ashlar in zsh: install this file as _ashlar in a folder of fpath, or source it after compinit.
        _ashlar() {
            local -a candidates
            local line
            for line in "${(@f)$(command ashlar complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
                case $line in
                    '') ;;
                    :files) _files ;;
                    :folders) _files -/ ;;
                    *$'\t'*) candidates+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}") ;;
                    *) candidates+=("${line//:/\\:}") ;;
                esac
            done
            (( $#candidates )) && _describe ashlar candidates
        }
        if [ "$funcstack[1]" = "_ashlar" ]; then _ashlar "$@"; else compdef _ashlar ashlar; fi

        """#,
        "fish": #"""
        # Completion of ashlar in fish: install this file as completions/ashlar.fish.
        function __ashlar_complete
            set -l words (commandline -opc) (commandline -ct)
            for line in (command ashlar complete -- $words[2..-1] 2>/dev/null)
                switch $line
                    case ':files'
                        __fish_complete_path (commandline -ct)
                    case ':folders'
                        __fish_complete_directories (commandline -ct)
                    case '*'
                        echo $line
                end
            end
        end
        complete -c ashlar -f -a '(__ashlar_complete)'

        """#,
    ]
}

extension Command {
    /// The command `completion`.
    static let completion: Command = Command(
        "completion", "Prints the completion script of a shell.",
        discussion: "'make install' of the package installs the scripts of all three shells.",
        operands: [Operand("SHELL", .choice(Completion.shells))], examples: ["completion zsh"]
    ) { invocation, output in
        output.raw(Completion.script(invocation.operands[0]) ?? "")
        return .success
    }
}
