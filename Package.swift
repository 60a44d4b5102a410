// swift-tools-version: 6.2
// The architecture, top to bottom: a module imports only modules in rows above its own.
// `scripts/build` passes `--explicit-target-dependency-import-check error`, so an undeclared import does not compile.
import PackageDescription

/// For the thin layers over C libraries: each use of a pointer says `unsafe`.
let overC: [SwiftSetting] = [.strictMemorySafety(), .treatAllWarnings(as: .error)]
let ordinary: [SwiftSetting] = [.treatAllWarnings(as: .error)]

func library(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}
func module(_ name: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = ordinary) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}
func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name + "Tests", dependencies: [.byName(name: name)] + dependencies, swiftSettings: ordinary)
}

let package = Package(
    name: "refund-desk",
    // The server is for Linux. The client runs on what is listed; macOS 15 stands there for what the server's modules use of it.
    platforms: [.macOS(.v15), .iOS(.v15), .tvOS(.v15), .watchOS(.v8), .visionOS(.v1)],
    products: [
        .library(name: "RefundDeskClient", targets: ["RefundDeskClient"]),
        .executable(name: "refund-desk", targets: ["refund-desk"]),
        .executable(name: "refund-desk-bench", targets: ["refund-desk-bench"]),
        .executable(name: "refund-desk-soak", targets: ["refund-desk-soak"]),
    ],
    targets: [
        // C libraries: a module map and a shim each, nothing else.
        library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
        library("CLibpq", pkgConfig: "libpq", apt: "libpq-dev", brew: "libpq"),
        library("CLibcrypto", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
        library("CMicrohttpd", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev", brew: "libmicrohttpd"),
        library("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
        library("CLibcurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),

        // The pure core: no Foundation, no clock, no input or output.
        module("Domain"),

        // One thin, safe layer per library; they know no refund.
        module("SQLite", ["CSQLite"], settings: overC),
        module("Postgres", ["CLibpq"], settings: overC),
        module("Crypto", ["CLibcrypto"], settings: overC),
        module("HTTPServer", ["CMicrohttpd"], settings: overC),
        module("HTTPClient", ["CLibcurl"], settings: overC),
        module("Gzip", ["CZlib"], settings: overC),
        module("JSON5"),

        module("AppStore", ["Domain", "Crypto", "HTTPClient"]),
        module("Store", ["Domain"]),
        module("StoreSQLite", ["Domain", "Store", "SQLite"]),
        module("StorePostgres", ["Domain", "Store", "Postgres"]),
        module("Ingest", ["Domain", "Crypto", "AppStore", "Store"]),
        module("Reports", ["Domain", "Crypto", "Gzip", "Store"]),
        module("Outbox", ["Domain", "Crypto", "AppStore", "HTTPClient", "Store", "Ingest"]),
        module("API", ["Domain", "Crypto", "HTTPServer", "AppStore", "Store", "Ingest", "Reports"]),
        // Its files are part of the program, so that there is nothing to serve from a folder.
        .target(
            name: "Dashboard", dependencies: ["Domain", "Crypto", "HTTPServer", "Store", "Ingest", "Reports"],
            resources: [.embedInCode("Assets/desk.css"), .embedInCode("Assets/desk.js"), .embedInCode("Assets/desk.svg")],
            swiftSettings: ordinary),
        module("AppStoreSimulator", ["Domain", "Crypto", "HTTPServer", "HTTPClient"]),
        module(
            "Simulation",
            [
                "Domain", "Crypto", "HTTPServer", "HTTPClient", "AppStore", "Store", "StoreSQLite", "Ingest", "Outbox", "API",
                "AppStoreSimulator",
            ]),
        module(
            "Server",
            [
                "Domain", "SQLite", "Crypto", "HTTPServer", "HTTPClient", "AppStore", "Store", "StoreSQLite", "StorePostgres",
                "Ingest", "Outbox", "Reports", "API", "Dashboard", "AppStoreSimulator", "JSON5",
            ]),
        .executableTarget(name: "refund-desk", dependencies: ["Server"], swiftSettings: ordinary),
        .executableTarget(
            name: "refund-desk-bench",
            dependencies: ["Server", "Domain", "Crypto", "SQLite", "AppStore", "Store", "Ingest", "Reports", "AppStoreSimulator"],
            swiftSettings: ordinary),

        .executableTarget(name: "refund-desk-soak", dependencies: ["Simulation"], swiftSettings: ordinary),

        // What an app's backend imports: Foundation only, and the one module whose declarations are `public`.
        module("RefundDeskClient"),
        // A backend that uses it. The desk's own HTTP layer stands in for a web framework.
        .executableTarget(
            name: "SampleBackend", dependencies: ["RefundDeskClient", "HTTPServer"], path: "Examples/SampleBackend",
            swiftSettings: ordinary),

        // What several modules' tests share.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: ordinary),
        // The suites that every engine passes, with what they and the engines' own tests share.
        .target(
            name: "StoreConformance",
            dependencies: ["Domain", "Store", "SQLite", "Postgres", "StoreSQLite", "StorePostgres"], path: "Tests/StoreConformance",
            swiftSettings: ordinary),
        tests("Domain", []),
        tests("SQLite", []),
        tests("Crypto", []),
        tests("HTTPServer", ["HTTPClient"]),
        tests("HTTPClient", ["HTTPServer", "TestSupport"]),
        tests("Gzip", []),
        tests("JSON5", []),
        tests("AppStore", ["Domain", "Crypto", "HTTPClient", "HTTPServer", "AppStoreSimulator", "TestSupport"]),
        tests("Postgres", []),
        tests("StoreSQLite", ["Domain", "Store", "SQLite", "StoreConformance"]),
        tests("StorePostgres", ["Domain", "Store", "Postgres", "StoreConformance"]),
        tests(
            "Ingest",
            [
                "Domain", "SQLite", "AppStore", "Store", "StoreSQLite", "StorePostgres", "StoreConformance", "AppStoreSimulator", "Reports",
            ]),
        tests("Reports", ["Domain", "Gzip", "Store", "StoreConformance"]),
        tests(
            "Outbox",
            ["Domain", "Crypto", "AppStore", "HTTPClient", "Store", "StoreSQLite", "Ingest", "AppStoreSimulator", "TestSupport"]),
        tests("API", ["Domain", "Crypto", "HTTPServer", "AppStore", "Store", "StoreSQLite", "Ingest"]),
        .testTarget(
            name: "DashboardTests",
            dependencies: ["Dashboard", "Domain", "Crypto", "HTTPServer", "AppStore", "Store", "StoreSQLite", "Ingest", "Reports"],
            exclude: ["Snapshots"], swiftSettings: ordinary),
        tests("Server", ["Domain", "HTTPServer", "JSON5"]),
        tests("AppStoreSimulator", ["Domain", "Crypto", "HTTPServer", "HTTPClient", "AppStore"]),
        tests("Simulation", ["Domain"]),
        tests("RefundDeskClient", []),
    ],
    swiftLanguageModes: [.v6]
)

// Only `scripts/fuzz` builds this: it links with the toolchain's libFuzzer, for which everything has to be compiled anew.
if Context.environment["REFUND_DESK_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "refund-desk-fuzz",
            dependencies: [
                "Domain", "Crypto", "HTTPServer", "HTTPClient", "JSON5", "AppStore", "Store", "StoreSQLite", "Ingest", "API",
                "AppStoreSimulator", "Server", "Reports", "Gzip",
            ], path: "Tests/Fuzz", swiftSettings: ordinary))
}
