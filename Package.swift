// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target of this package is compiled with (docs/architecture.md, "Build settings").
let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [Target.Dependency], path: String? = nil) -> Target {
    .executableTarget(name: name, dependencies: dependencies, path: path, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func system(_ name: String, _ package: String, _ debian: String) -> Target {
    .systemLibrary(name: name, pkgConfig: package, providers: [.apt([debian])])
}

let package = Package(
    name: "Storykeep",
    products: [
        .executable(name: "stored", targets: ["stored"]),
        .executable(name: "storectl", targets: ["storectl"]),
        .library(name: "StoreClient", targets: ["StoryClient"]),
        .library(name: "counting", type: .dynamic, targets: ["CCounting"]),
    ],
    targets: [
        system("CLMDB", "lmdb", "liblmdb-dev"),
        system("CUV", "libuv", "libuv1-dev"),
        system("CXXHash", "libxxhash", "libxxhash-dev"),
        // The same hash, compiled into whoever asks for it.
        system("CXXHashInline", "libxxhash", "libxxhash-dev"),
        system("COpenSSL", "libcrypto", "libssl-dev"),
        .systemLibrary(
            name: "CHiredis", path: "bench/CHiredis", providers: [.apt(["libhiredis-dev"])]),
        // simdjson is C++: this shim gives it a C header. Its pkg-config file carries a flag that SwiftPM refuses.
        .target(
            name: "CSimdJSON", cxxSettings: [.define("NDEBUG")], linkerSettings: [.linkedLibrary("simdjson")]),

        library("StoryCore", []),
        library("StoryWire", ["StoryCore", "CSimdJSON"]),
        library("StoryEngine", ["StoryCore"]),
        library("StoryLog", ["StoryCore", "CLMDB", "CXXHash", "CXXHashInline", "COpenSSL"]),
        library("StoryReactor", ["CUV"]),
        library("StoryServer", ["StoryCore", "StoryWire", "StoryEngine", "StoryLog", "StoryReactor"]),
        library("StoryClient", ["StoryCore", "StoryWire"]),
        program("stored", ["StoryServer"]),
        program("storectl", ["StoryClient", "StoryCore", "StoryWire", "StoryLog", "StoryServer"]),
        program("storebench", ["CHiredis"], path: "bench/storebench"),
        // Preloaded into the daemon by the gates on counts; nothing links it.
        .target(name: "CCounting", path: "bench/counting"),

        .target(
            name: "TestSupport",
            dependencies: ["StoryCore", "StoryWire", "StoryEngine", "StoryLog", "StoryReactor", "StoryServer"],
            path: "Tests/TestSupport", swiftSettings: settings),
        tests("StoryCoreTests", ["StoryCore", "TestSupport"]),
        tests("StoryWireTests", ["StoryCore", "StoryWire", "TestSupport"]),
        tests("StoryEngineTests", ["StoryCore", "StoryEngine", "TestSupport"]),
        tests("StoryLogTests", ["StoryCore", "StoryLog", "TestSupport"]),
        tests("StoryReactorTests", ["StoryReactor"]),
        tests(
            "StoryServerTests",
            ["StoryCore", "StoryWire", "StoryEngine", "StoryLog", "StoryReactor", "StoryServer", "TestSupport"]),
        tests("StoryClientTests", ["StoryClient", "StoryCore", "TestSupport"]),
        tests("GateTests", ["TestSupport"]),
        tests("BenchTests", ["storebench", "TestSupport"]),
        tests(
            "ScenarioTests",
            ["StoryCore", "StoryWire", "StoryEngine", "StoryLog", "StoryReactor", "StoryServer", "TestSupport"]),
    ],
    cxxLanguageStandard: .cxx17
)
