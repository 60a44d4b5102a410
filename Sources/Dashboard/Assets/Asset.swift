import Crypto

/// The dashboard's own files, which are part of the program.
enum Asset: String, Sendable, CaseIterable {
    case style = "desk.css"
    case script = "desk.js"
    case icon = "desk.svg"

    var bytes: [UInt8] {
        switch self {
        case .style: PackageResources.desk_css
        case .script: PackageResources.desk_js
        case .icon: PackageResources.desk_svg
        }
    }

    var contentType: String {
        switch self {
        case .style: "text/css; charset=utf-8"
        case .script: "text/javascript; charset=utf-8"
        case .icon: "image/svg+xml"
        }
    }

    /// Changes with any of the files.
    static let version = String(Base64URL.encode(SHA256Digest.hash(allCases.flatMap(\.bytes))).prefix(12))

    var link: Link { Link("assets", Asset.version, rawValue) }
}
