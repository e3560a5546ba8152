/// The command as a whole: reads the command line, runs what it asks for, and says how that ended.
@MainActor
enum PageBridgeCommand {
  static func run(_ arguments: [String]) async -> ExitCode {
    let invocation: Invocation
    do {
      invocation = try Invocation.parse(arguments)
    } catch {
      Console.complain(error.description)
      return .usage
    }
    do {
      switch invocation {
      case .show(let text): Console.write(text)
      case .serve(let options): try await ServeCommand.run(options)
      case .demo(let options): try await DemoCommand.run(options)
      case .load(let options): return try await LoadCommand.run(options)
      }
      return .success
    } catch {
      Console.complain("pagebridge: \(error)")
      return .failure
    }
  }
}
