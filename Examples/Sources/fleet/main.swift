#if os(Linux)
    import Foundation

    // Three processes of one product, connected by a server that is started here: see `Demonstration`.
    //
    //     fleet            runs the demonstration
    //     fleet ROLE URL   is one of its processes

    let arguments = CommandLine.arguments
    if arguments.count == 3 {
        try await Participant(role: arguments[1], server: arguments[2]).run()
    } else {
        try await Demonstration().run()
    }
#else
    print("The demonstration starts processes and a server as Linux does.")
#endif
