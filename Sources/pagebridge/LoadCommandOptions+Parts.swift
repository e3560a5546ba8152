import Foundation
import LoadGenerator

/// Sharing a run between processes.
extension LoadCommandOptions {
  /// The command lines of the processes, each with its part of the pages; the first one has the hosts.
  ///
  /// - Parameter relay: the relay's address for sockets.
  func partArguments(count: Int, relay: String) -> [[String]] {
    (0..<count).map { index in
      // The first ones take what cannot be shared evenly.
      let pages = pages / count + (index < self.pages % count ? 1 : 0)
      let share = self.pages > 0 ? Double(pages) / Double(self.pages) : index == 0 ? 1 : 0
      func option(_ option: CommandLineOption, _ value: String?) -> [String] {
        value.map { ["--\(option.name)=\($0)"] } ?? []
      }
      func shared(_ option: CommandLineOption, _ value: Double, _ least: Double) -> [String] {
        ["--\(option.name)=\(max(least, value * share))"]
      }
      var words = ["load", "--\(Self.partOption.name)=\(index)", "--\(Self.pagesOption.name)=\(pages)"]
      words += option(Self.hostsOption, String(index == 0 ? hosts : 0))
      words += option(Self.modeOption, mode.rawValue)
      words += option(Self.secondsOption, String(seconds)) + option(Self.rampOption, String(ramp))
      words += option(Self.drainOption, String(drain))
      words += option(Self.sizeOption, sizes.map(String.init).joined(separator: ","))
      words += option(Self.messagesOption, messages?.path(percentEncoded: false))
      words += option(Self.depthOption, depth.map(String.init))
      if let rate { words += shared(Self.rateOption, rate, LoadOptions.rateRange.lowerBound) }
      words += shared(Self.churnOption, churn, 0) + shared(Self.cutsOption, cuts, 0)
      words += option(Self.handlerOption, handler) + option(Self.appOption, app)
      if index == 0 { words += option(Self.pidOption, processID.map(String.init)) }
      guard let foreign else { return words + option(Self.relayOption, relay) }
      words += option(Self.pageURLOption, foreign.pageURL) + option(Self.hostURLOption, foreign.hostURL)
      words += option(Self.subprotocolOption, foreign.subprotocol)
      return words + option(Self.pageHelloOption, foreign.pageHello)
        + option(Self.hostHelloOption, foreign.hostHello)
    }
  }
}
