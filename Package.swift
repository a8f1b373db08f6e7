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

/// A target of tests: never optimised, which would take longer than they run, and read once, since no other target waits
/// for its interface.
func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, exclude: exclude,
        swiftSettings: settings + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"])])
}

/// A library whose functions stand before others; `shared` is where `preloaded.h` lies, seen from its folder.
func preloaded(_ name: String, path: String, sharing shared: String) -> Target {
    .target(name: name, path: path, cSettings: [.headerSearchPath(shared)])
}

func system(_ name: String, _ package: String, _ debian: String) -> Target {
    .systemLibrary(name: name, pkgConfig: package, providers: [.apt([debian])])
}

/// The fuzzer has libFuzzer's main function and its flags: only `scripts/fuzz`, which sets the variable, builds it.
let isFuzzing = Context.environment["STORYKEEP_FUZZ"] != nil
let fuzzer: [Target] = [
    .target(name: "CFuzzGuards", path: "Tests/Fuzzer/CFuzzGuards"),
    program("storefuzz", ["FuzzTargets", "CFuzzGuards"], path: "Tests/Fuzzer/storefuzz"),
]
/// Of what tests share, the fuzzer's targets use what needs no daemon: a build with its flags is slow.
let fuzzedSupport = [
    "Etcd/ServerFrames.swift", "EventLines.swift", "EventMaker.swift", "Names.swift", "SplitMix64.swift",
    "Plain/EventRecords.swift",
    "Plain/FoldedRow.swift", "Plain/PlainDecoder.swift", "Plain/PlainStore.swift", "Storage/ErrorChecks.swift",
    "Standard.swift", "Storage/TemporaryFolder.swift",
]

let package = Package(
    name: "Storykeep",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "stored", targets: ["stored"]),
        .executable(name: "storectl", targets: ["storectl"]),
        .executable(name: "storeserve", targets: ["storeserve"]),
        .library(name: "StoryClient", targets: ["StoryClient"]),
        .library(name: "counting", type: .dynamic, targets: ["CCounting"]),
        .library(name: "slowsync", type: .dynamic, targets: ["CSlowSync"]),
        .library(name: "recorder", type: .dynamic, targets: ["CRecorder"]),
        .library(name: "faults", type: .dynamic, targets: ["CFaults"]),
        .library(name: "shiftedclock", type: .dynamic, targets: ["CShiftedClock"]),
    ],
    targets: [
        system("CLMDB", "lmdb", "liblmdb-dev"),
        system("CUV", "libuv", "libuv1-dev"),
        system("CXXHash", "libxxhash", "libxxhash-dev"),
        system("COpenSSL", "openssl", "libssl-dev"),
        system("CNGHTTP2", "libnghttp2", "libnghttp2-dev"),
        system("CSQLite", "sqlite3", "libsqlite3-dev"),
        // Its pkg-config file carries a flag that SwiftPM refuses.
        .systemLibrary(name: "CUTF8Proc", providers: [.apt(["libutf8proc-dev"])]),
        .systemLibrary(
            name: "CHiredis", path: "bench/CHiredis", providers: [.apt(["libhiredis-dev"])]),
        // simdjson is C++: this shim gives it a C header. Its pkg-config file carries a flag that SwiftPM refuses.
        .target(
            name: "CSimdJSON", cxxSettings: [.define("NDEBUG")], linkerSettings: [.linkedLibrary("simdjson")]),

        // SQLite's file system with a checksum for each page, in C since all of it is calls from C.
        .target(name: "CCheckedPages", linkerSettings: [.linkedLibrary("sqlite3")]),

        // The web server of the page, in C where its functions take any number of arguments.
        .target(name: "CMicroHTTPD", linkerSettings: [.linkedLibrary("microhttpd")]),
        // The files of the page as bytes.
        .target(name: "CPage", exclude: ["page"]),

        library("StoryCore", []),
        library("StoryWords", ["StoryCore", "CUTF8Proc"]),
        library("StoryWire", ["StoryCore", "StoryWords", "CSimdJSON"]),
        library("StoryFold", ["StoryCore", "CXXHash"]),
        library("StoryEngine", ["StoryCore", "StoryFold"]),
        library("StoryStorage", ["StoryCore", "CLMDB"]),
        library("StoryStore", ["StoryCore", "StoryFold", "StoryStorage", "CXXHash"]),
        library("StoryLog", ["StoryCore", "StoryStorage", "CLMDB", "CXXHash", "COpenSSL"]),
        library(
            "StoryOffline",
            [
                "StoryCore", "StoryWords", "StoryWire", "StoryEngine", "StoryStorage", "StoryFold", "StoryStore",
                "StoryLog",
            ]),
        library(
            "StoryFind",
            ["StoryCore", "StoryWords", "StoryWire", "StoryStorage", "StoryLog", "CSQLite", "CCheckedPages"]),
        library("StoryCluster", ["StoryCore"]),
        library("StoryEtcd", ["StoryCluster", "CNGHTTP2"]),
        library("StoryNetwork", ["StoryCore", "COpenSSL"]),
        library("StoryReactor", ["StoryCore", "StoryNetwork", "CUV"]),
        library(
            "StoryServer",
            [
                "StoryCore", "StoryWire", "StoryEngine", "StoryStorage", "StoryFold", "StoryStore", "StoryLog",
                "StoryFind", "StoryNetwork", "StoryReactor", "StoryCluster", "StoryEtcd", "CXXHash",
            ]),
        // TLS to other machines is built where OpenSSL is a package of the system.
        library("StoryClient", ["StoryCore", .target(name: "StoryNetwork", condition: .when(platforms: [.linux]))]),
        library("StoryBrowser", ["StoryClient"]),
        library("StoryGateway", ["StoryClient", "StoryCore", "CMicroHTTPD", "CPage"]),
        program("stored", ["StoryCore", "StoryStorage", "StoryServer"]),
        program("storeserve", ["StoryClient", "StoryCore", "StoryGateway", "StoryNetwork"]),
        program(
            "storectl",
            [
                "StoryBrowser", "StoryClient", "StoryCore", "StoryWords", "StoryWire", "StoryStorage", "StoryLog",
                "StoryOffline",
            ]),
        program("storebench", ["CHiredis", "StoryCluster", "StoryCore", "StoryEtcd"], path: "bench/storebench"),
        // Preloaded into the daemon by the gates on counts; nothing links it.
        preloaded("CCounting", path: "bench/counting", sharing: "../preloaded"),
        // Preloaded into the servers of the benchmark's row S13; nothing links it.
        preloaded("CSlowSync", path: "bench/slowsync", sharing: "../preloaded"),
        // Preloaded into the daemon by the tests of disks that fail; nothing links it.
        preloaded("CFaults", path: "Tests/FaultTests/faults", sharing: "../../../bench/preloaded"),

        // Preloaded into the programs whose crashes are played; nothing links it.
        preloaded("CRecorder", path: "Tests/CrashTests/recorder", sharing: "../../../bench/preloaded"),
        // Preloaded into the daemon by the tests whose clock is wrong; nothing links it.
        .target(name: "CShiftedClock", path: "Tests/ShiftedClock"),

        .target(
            name: "TestSupport",
            dependencies: ["StoryCore", "StoryWire", "StoryStorage", "StoryFold", "StoryStore", "StoryLog"]
                + (isFuzzing
                    ? []
                    : ["StoryCluster", "StoryEngine", "StoryEtcd", "StoryOffline", "StoryReactor"]),
            path: "Tests/TestSupport", exclude: ["Definitions/Fixtures"], sources: isFuzzing ? fuzzedSupport : nil,
            swiftSettings: settings),
        // Apart, so that the other tests are compiled beside the server.
        .target(
            name: "LoopSupport",
            dependencies: [
                "StoryCluster", "StoryCore", "StoryFold", "StoryLog", "StoryReactor", "StoryServer", "StoryStorage",
                "StoryStore", "TestSupport",
            ],
            path: "Tests/LoopSupport", swiftSettings: settings),
        tests("StoryCoreTests", ["StoryCore", "TestSupport"]),
        tests(
            "StoryWireTests", ["StoryCore", "StoryWords", "StoryWire", "CSimdJSON", "TestSupport"],
            exclude: ["Fixtures"]),
        tests("StoryEngineTests", ["StoryCore", "StoryWire", "StoryFold", "StoryEngine", "TestSupport"]),
        tests("StoryFoldTests", ["StoryCore", "StoryWire", "StoryFold", "StoryStore", "TestSupport"]),
        tests("StoryStoreTests", ["StoryCore", "StoryStorage", "StoryFold", "StoryStore", "TestSupport"]),
        tests("StoryStorageTests", ["StoryCore", "StoryStorage", "StoryLog", "TestSupport"]),
        tests(
            "StoryLogTests",
            [
                "StoryCore", "StoryWords", "StoryStorage", "StoryFold", "StoryStore", "StoryLog", "StoryFind",
                "CXXHash",
                "COpenSSL", "TestSupport",
            ],
            exclude: ["Fixtures"]),
        tests(
            "StoryOfflineTests",
            [
                "StoryCore", "StoryWire", "StoryStorage", "StoryFold", "StoryStore", "StoryLog", "StoryOffline",
                "TestSupport",
            ]),
        tests("StoryClusterTests", ["StoryCore", "StoryCluster", "TestSupport"]),
        tests("StoryEtcdTests", ["StoryCluster", "StoryEtcd", "TestSupport"], exclude: ["Fixtures"]),
        tests("StoryNetworkTests", ["StoryCore", "StoryNetwork", "COpenSSL", "TestSupport"]),
        tests("StoryReactorTests", ["StoryCore", "StoryNetwork", "StoryReactor", "TestSupport"]),
        tests(
            "StoryServerTests",
            [
                "StoryCore", "StoryWire", "StoryEngine", "StoryStorage", "StoryFold", "StoryStore", "StoryLog",
                "StoryOffline", "StoryCluster", "StoryEtcd", "StoryNetwork", "StoryReactor", "StoryServer",
                "LoopSupport", "TestSupport",
            ]),
        tests("StoryClientTests", ["StoryClient", "StoryCore", "StoryWire", "TestSupport"]),
        tests("StoryGatewayTests", ["StoryClient", "StoryCore", "StoryGateway", "TestSupport"]),
        tests("GatewayTests", ["TestSupport"]),
        tests("StoryBrowserTests", ["StoryBrowser", "StoryClient", "StoryCore", "StoryWire", "TestSupport"]),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "StoryCluster", "StoryCore", "StoryEtcd", "StoryWords", "StoryWire", "StoryStorage", "StoryFold",
                "StoryStore",
                "StoryLog", "CSimdJSON", "CXXHash", "TestSupport",
            ],
            path: "Tests/FuzzTargets", swiftSettings: settings),
        tests("FuzzTests", ["FuzzTargets", "TestSupport"], exclude: ["corpus"]),
        tests(
            "DamageTests",
            [
                "StoryCore", "StoryWire", "StoryEngine", "StoryStorage", "StoryFold", "StoryStore", "StoryLog",
                "StoryOffline", "StoryServer",
                "TestSupport",
            ]),
        tests("GateTests", ["TestSupport"]),
        tests(
            "CrashTests",
            [
                "StoryCore", "StoryWire", "StoryStorage", "StoryFold", "StoryStore", "StoryLog", "StoryOffline",
                "StoryServer", "CXXHash", "TestSupport",
            ], exclude: ["recorder"]),
        tests("HostileTests", ["FuzzTargets", "StoryCore", "TestSupport"]),
        tests("RaceTests", ["TestSupport"]),
        // Linked into the simulator, whose calls on its disk go there first.
        preloaded("CSimulatedDisk", path: "Tests/Simulator/disk", sharing: "../../../bench/preloaded"),
        program(
            "simulator",
            [
                "StoryCluster", "StoryCore", "StoryWire", "StoryNetwork", "StoryStorage", "StoryFold", "StoryStore",
                "StoryLog", "StoryReactor", "StoryServer",
                "CSimulatedDisk", "LoopSupport", "TestSupport",
            ],
            path: "Tests/Simulator/simulator"),
        tests("SimulationTests", ["TestSupport"]),
        program(
            "modeltrials",
            [
                "StoryCore", "StoryWire", "StoryStorage", "StoryFold", "StoryStore", "StoryLog", "StoryServer",
                "LoopSupport", "TestSupport",
            ],
            path: "Tests/ModelTrials/modeltrials"),
        tests("ModelTests", ["TestSupport"]),
        tests("BenchTests", ["storebench", "TestSupport"]),
        tests(
            "FaultTests",
            ["StoryCore", "StoryStorage", "StoryFold", "StoryStore", "StoryLog", "StoryOffline", "TestSupport"],
            exclude: ["faults"]),
        tests("ChaosTests", ["TestSupport"]),
        tests(
            "ScenarioTests",
            [
                "StoryCore", "StoryWire", "StoryEngine", "StoryStorage", "StoryFold", "StoryStore", "StoryLog",
                "StoryCluster", "StoryReactor", "StoryServer", "LoopSupport", "TestSupport",
            ]),
    ] + (isFuzzing ? fuzzer : []),
    cxxLanguageStandard: .cxx17
)

// The programs alone, as one build that keeps all processors busy: scripts/build programs.
if Context.environment["STORYKEEP_PROGRAMS"] != nil {
    package.targets.removeAll { $0.type == .test || $0.path != nil }
    package.products.removeAll { !["stored", "storectl", "storeserve"].contains($0.name) }
}
