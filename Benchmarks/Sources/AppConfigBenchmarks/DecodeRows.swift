import AshlarAppConfig
import BenchmarkHarness

/// Fifty fields, as many as a section of the corpus has keys.
struct Fifty: Decodable {
    var key0: Int
    var key1: String
    var key2: Int
    var key3: String
    var key4: Int
    var key5: String
    var key6: Int
    var key7: String
    var key8: Int
    var key9: String
    var key10: Int
    var key11: String
    var key12: Int
    var key13: String
    var key14: Int
    var key15: String
    var key16: Int
    var key17: String
    var key18: Int
    var key19: String
    var key20: Int
    var key21: String
    var key22: Int
    var key23: String
    var key24: Int
    var key25: String
    var key26: Int
    var key27: String
    var key28: Int
    var key29: String
    var key30: Int
    var key31: String
    var key32: Int
    var key33: String
    var key34: Int
    var key35: String
    var key36: Int
    var key37: String
    var key38: Int
    var key39: String
    var key40: Int
    var key41: String
    var key42: Int
    var key43: String
    var key44: Int
    var key45: String
    var key46: Int
    var key47: String
    var key48: Int
    var key49: String
}

func decodeRows(_ suite: inout BenchmarkSuite) {
    let config = load(Corpus(keys: 10_000).plist(.xml))
    let decode = Contender("config.decode") { n in
        for _ in 0..<n { blackHole(try? config.decode(Fifty.self, at: "section42")) }
    }
    precondition((try? config.decode(Fifty.self, at: "section42"))?.key48 == 42 * 50 + 48)
    suite.row(
        "decode a structure of fifty fields", ours: decode,
        against: [
            Peer(Contender("fifty string gets") { n in for _ in 0..<n { fiftyGets(config) } }, .atMost(6)),
            Peer(Contender("fifty throwing gets") { n in for _ in 0..<n { fiftyThrowingGets(config) } }),
        ])
}

@inline(never)
private func fiftyGets(_ config: ApplicationConfig) {
    var sum = 0
    sum &+= config.int(forKey: "section42.key0") ?? 0
    sum &+= config.string(forKey: "section42.key1")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key2") ?? 0
    sum &+= config.string(forKey: "section42.key3")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key4") ?? 0
    sum &+= config.string(forKey: "section42.key5")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key6") ?? 0
    sum &+= config.string(forKey: "section42.key7")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key8") ?? 0
    sum &+= config.string(forKey: "section42.key9")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key10") ?? 0
    sum &+= config.string(forKey: "section42.key11")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key12") ?? 0
    sum &+= config.string(forKey: "section42.key13")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key14") ?? 0
    sum &+= config.string(forKey: "section42.key15")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key16") ?? 0
    sum &+= config.string(forKey: "section42.key17")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key18") ?? 0
    sum &+= config.string(forKey: "section42.key19")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key20") ?? 0
    sum &+= config.string(forKey: "section42.key21")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key22") ?? 0
    sum &+= config.string(forKey: "section42.key23")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key24") ?? 0
    sum &+= config.string(forKey: "section42.key25")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key26") ?? 0
    sum &+= config.string(forKey: "section42.key27")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key28") ?? 0
    sum &+= config.string(forKey: "section42.key29")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key30") ?? 0
    sum &+= config.string(forKey: "section42.key31")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key32") ?? 0
    sum &+= config.string(forKey: "section42.key33")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key34") ?? 0
    sum &+= config.string(forKey: "section42.key35")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key36") ?? 0
    sum &+= config.string(forKey: "section42.key37")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key38") ?? 0
    sum &+= config.string(forKey: "section42.key39")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key40") ?? 0
    sum &+= config.string(forKey: "section42.key41")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key42") ?? 0
    sum &+= config.string(forKey: "section42.key43")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key44") ?? 0
    sum &+= config.string(forKey: "section42.key45")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key46") ?? 0
    sum &+= config.string(forKey: "section42.key47")?.utf8.count ?? 0
    sum &+= config.int(forKey: "section42.key48") ?? 0
    sum &+= config.string(forKey: "section42.key49")?.utf8.count ?? 0
    blackHole(sum)
}

@inline(never)
private func fiftyThrowingGets(_ config: ApplicationConfig) {
    var sum = 0
    for i in stride(from: 0, to: 50, by: 2) {
        sum &+= (try? config.get(paths[i], as: Int.self)) ?? 0
        sum &+= (try? config.get(paths[i + 1], as: String.self))?.utf8.count ?? 0
    }
    blackHole(sum)
}

private let paths = (0..<50).map { ConfigPath("section42.key\($0)") }
