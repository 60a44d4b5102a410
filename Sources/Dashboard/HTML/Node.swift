/// A piece of a page. Whatever text it holds is escaped when it is written out, so nothing from outside can become markup; names of
/// elements and attributes are literals of this program.
indirect enum Node: Sendable {
    case text(String)
    case element(StaticString, [Attribute], [Node])
    case group([Node])

    static let nothing = Node.group([])
}

/// An attribute of an element.
struct Attribute: Sendable {
    var name: StaticString
    /// nil for one that is there or not.
    var value: String?

    init(_ name: StaticString, _ value: String? = nil) {
        self.name = name
        self.value = value
    }
}

/// An element with its children; those that are nil are left out.
func el(_ name: StaticString, _ attributes: [Attribute?] = [], _ children: Node?...) -> Node {
    .element(name, attributes.compactMap(\.self), children.compactMap(\.self))
}

extension Attribute {
    static func `class`(_ names: String) -> Attribute { Attribute("class", names) }
    static func id(_ name: String) -> Attribute { Attribute("id", name) }
    static func name(_ name: String) -> Attribute { Attribute("name", name) }
    static func type(_ word: String) -> Attribute { Attribute("type", word) }
    static func value(_ text: String) -> Attribute { Attribute("value", text) }
    static func label(_ text: String) -> Attribute { Attribute("aria-label", text) }
    static func lang(_ code: String) -> Attribute { Attribute("lang", code) }
    static func title(_ text: String) -> Attribute { Attribute("title", text) }
    static func scope(_ word: String) -> Attribute { Attribute("scope", word) }
    /// Only places of this desk can be linked to: a ``Link`` cannot name another host or a script.
    static func href(_ link: Link) -> Attribute { Attribute("href", link.text) }
    static func action(_ link: Link) -> Attribute { Attribute("action", link.text) }
    static let hidden = Attribute("aria-hidden", "true")
}

extension Node {
    /// The node as it is sent.
    var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(32 << 10)
        write(to: &out)
        return out
    }

    private static let voids: Set<String> = ["br", "hr", "img", "input", "link", "meta"]

    private func write(to out: inout [UInt8]) {
        switch self {
        case .text(let text): escape(text, to: &out)
        case .group(let nodes): for node in nodes { node.write(to: &out) }
        case .element(let name, let attributes, let children):
            out += Array("<\(name)".utf8)
            for attribute in attributes { attribute.write(to: &out) }
            out.append(UInt8(ascii: ">"))
            guard !Node.voids.contains("\(name)") else { return }
            for child in children { child.write(to: &out) }
            out += Array("</\(name)>".utf8)
        }
    }
}

extension Attribute {
    fileprivate func write(to out: inout [UInt8]) {
        out += Array(" \(name)".utf8)
        guard let value else { return }
        out += Array("=\"".utf8)
        escape(value, to: &out)
        out.append(UInt8(ascii: "\""))
    }
}

/// - Source: HTML, "Serializing HTML fragments"; `<` and `>` are escaped in attributes too. Controls that no page may hold become U+FFFD.
private func escape(_ text: String, to out: inout [UInt8]) {
    for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "&"): out += Array("&amp;".utf8)
        case UInt8(ascii: "<"): out += Array("&lt;".utf8)
        case UInt8(ascii: ">"): out += Array("&gt;".utf8)
        case UInt8(ascii: "\""): out += Array("&quot;".utf8)
        case UInt8(ascii: "'"): out += Array("&#39;".utf8)
        case 0x00...0x08, 0x0B, 0x0C, 0x0E...0x1F, 0x7F: out += Array("\u{FFFD}".utf8)
        default: out.append(byte)
        }
    }
}
