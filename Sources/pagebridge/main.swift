import Foundation

exit(await PageBridgeCommand.run(Array(CommandLine.arguments.dropFirst())).rawValue)
