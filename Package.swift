// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "PageBridge",
  products: [
    .executable(name: "pagebridge", targets: ["pagebridge"]),
    .library(name: "PageBridgeWebKit", targets: ["PageBridgeWebKit"]),
    .library(name: "PageBridgeTesting", targets: ["PageBridgeTesting"]),
  ],
  targets: [
    // The command and the native halves of the systems it demonstrates.
    .executableTarget(
      name: "pagebridge",
      dependencies: [
        "PlayerHost", "BrowserHost", "JourneyHost", "SquadHost", "LoadGenerator", "Relay", "PageBridgeWebKit",
        "CGetopt",
      ],
      swiftSettings: strict
    ),
    .target(name: "PlayerHost", dependencies: ["PageBridgeWebKit"], swiftSettings: strict),
    .target(name: "BrowserHost", dependencies: ["PageBridgeWebKit"], swiftSettings: strict),
    .target(name: "JourneyHost", dependencies: ["PageBridgeWebKit"], swiftSettings: strict),
    .target(name: "SquadHost", dependencies: ["PageBridgeWebKit"], swiftSettings: strict),

    // The public libraries.
    .target(
      name: "PageBridgeWebKit",
      dependencies: ["BridgeSession", "BridgeProtocol", "WebSocketTransport", "COpenSSL"],
      swiftSettings: strict
    ),
    .target(
      name: "PageBridgeTesting",
      dependencies: ["PageBridgeWebKit", "BridgeSession", "WebSocketTransport"],
      swiftSettings: strict
    ),

    // Load and relay.
    .target(
      name: "LoadGenerator",
      dependencies: ["BridgeSession", "BridgeProtocol", "WebSocketTransport"],
      swiftSettings: strict
    ),
    .target(
      name: "Relay",
      dependencies: ["WebSocketTransport", "BridgeProtocol", "COpenSSL"],
      swiftSettings: strict
    ),
    .target(
      name: "WebSocketTransport",
      dependencies: ["CLibwebsockets", "CLibraryLog", "CUV", "COpenSSL"],
      swiftSettings: strict
    ),

    // Decisions without input, output or clocks.
    .target(name: "BridgeSession", dependencies: ["BridgeProtocol"], swiftSettings: strict),
    .target(name: "BridgeProtocol", swiftSettings: strict),

    // C libraries of the system.
    .systemLibrary(
      name: "CLibwebsockets",
      pkgConfig: "libwebsockets",
      providers: [.apt(["libwebsockets-dev", "libwebsockets-evlib-uv"])]
    ),
    // Replaces a function of libwebsockets in programs that link it.
    .target(name: "CLibraryLog", dependencies: ["CLibwebsockets"]),
    .systemLibrary(name: "CGetopt"),
    .systemLibrary(name: "CUV", pkgConfig: "libuv", providers: [.apt(["libuv1-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),

    // Tests.
    .testTarget(
      name: "BridgeProtocolTests", dependencies: ["BridgeProtocol"], swiftSettings: strict),
    .testTarget(
      name: "BridgeSessionTests", dependencies: ["BridgeSession"], swiftSettings: strict),
    .testTarget(
      name: "WebSocketTransportTests", dependencies: ["WebSocketTransport", "COpenSSL", "TestCertificates"],
      swiftSettings: strict),
    .testTarget(
      name: "RelayTests", dependencies: ["Relay", "WebSocketTransport", "TestCertificates"],
      swiftSettings: strict),
    .target(
      name: "TestCertificates", dependencies: ["COpenSSL"], path: "Tests/TestCertificates",
      swiftSettings: strict),
    .testTarget(
      name: "PageBridgeWebKitTests",
      dependencies: ["PageBridgeWebKit", "PageBridgeTesting", "Relay"],
      swiftSettings: strict
    ),
    .testTarget(
      name: "PlayerHostTests", dependencies: ["PlayerHost", "PageBridgeTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "BrowserHostTests", dependencies: ["BrowserHost", "PageBridgeTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "JourneyHostTests", dependencies: ["JourneyHost", "PageBridgeTesting"],
      resources: [.copy("vectors.json")], swiftSettings: strict),
    .testTarget(
      name: "SquadHostTests", dependencies: ["SquadHost", "PageBridgeTesting"],
      swiftSettings: strict),
    .testTarget(
      name: "PortingProofTests", dependencies: ["PageBridgeWebKit", "PageBridgeTesting"],
      swiftSettings: strict),
    .testTarget(name: "pagebridgeTests", dependencies: ["pagebridge"], swiftSettings: strict),
    .testTarget(
      name: "LoadGeneratorTests", dependencies: ["LoadGenerator", "Relay", "WebSocketTransport"],
      swiftSettings: strict),
    // A relay of raw bytes in C: what the relay's speed is measured against.
    .executableTarget(
      name: "ByteRelay", dependencies: ["COpenSSL"], path: "Tests/ByteRelay"),
    // Load in C on either relay, so that the relay is what is measured.
    .executableTarget(name: "RelayDriver", path: "Tests/RelayDriver"),
    // A host on the public library whose evaluates are measured.
    .executableTarget(
      name: "EvaluateHost", dependencies: ["PageBridgeWebKit", "WebSocketTransport"],
      path: "Tests/EvaluateHost", swiftSettings: strict),
    .executableTarget(
      name: "ProbeHost",
      dependencies: ["PageBridgeWebKit", "JourneyHost"],
      path: "Tests/ProbeHost",
      swiftSettings: strict
    ),
  ]
)

// Fuzzing links libFuzzer, so ordinary builds leave its targets out: deploy/fuzz.sh asks for them.
if Context.environment["PAGEBRIDGE_FUZZ"] != nil {
  package.targets += [
    .systemLibrary(name: "CFuzzer", path: "Tests/Fuzz/CFuzzer"),
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        "PageBridgeWebKit", "Relay", "BridgeSession", "BridgeProtocol", "WebSocketTransport", "CFuzzer",
      ],
      path: "Tests/Fuzz/Sources",
      swiftSettings: strict
    ),
  ]
}
