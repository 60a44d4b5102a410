import JSON5
import Server

extension FuzzTarget {
    /// What parses prints and parses again to the same; a mistake has a place inside the text.
    static let json5 = FuzzTarget(
        name: "json5",
        seeds: {
            bytes(
                "{a: 1, 'b': [true, null, .5e-3, -0x1F], /* c */ \"d\\u00e9\\x41\": '\\\n'} // end", "[1,2,]", "'\\u2028\\0'", "+1.", "{}",
                "{a:{b:[[[]]]}}", "1e99")
        }
    ) {
        { input in
            do throws(JSON5Error) {
                let node = try JSON5Node(parsing: input)
                guard let again = try? JSON5Node(parsing: Array(printed(node).utf8)) else { preconditionFailure("printed, and no JSON5") }
                precondition(isSame(node, again), "printed, and something else")
            } catch {
                precondition(error.line >= 1 && error.column >= 1 && !error.message.isEmpty, "a mistake without a place")
                precondition(error.line <= input.count + 1 && error.column <= input.count + 1, "a mistake outside the text")
            }
        }
    }

    /// A whole configuration, or its mistakes, each with its line.
    static let configuration = FuzzTarget(name: "configuration", seeds: { bytes(configurationText) }) {
        { input in
            let reading = ConfigurationReading(of: input, folder: "/folder", variables: ["T": "t"])
            precondition((reading.configuration == nil) == !reading.mistakes.isEmpty, "refused without a reason, or taken with a mistake")
            check(reading.mistakes + reading.warnings)
        }
    }

    static let policy = FuzzTarget(
        name: "policy",
        seeds: {
            bytes(
                "{rules:[{name:'a',when:{price:{atLeast:9.99,below:20},currency:'USD',tag:['x*'],round:{not:[1,2]}},then:{prefer:'DECLINE'}}]}",
                "{rules:[{name:'h',then:{hold:'2h',otherwise:{answer:'none'}}}],default:{answer:'data-only'}}",
                "{rules:[{name:'m',when:{'usage.coins':{atLeast:1e3},consumedPercentage:{below:80}},then:{prefer:'GRANT_PRORATED',holdout:10}}]}",
                "{default:{prefer:'GRANT_FULL'}}")
        }
    ) {
        { input in
            let reading = PolicyReading(of: input, variables: ["T": "t"])
            precondition((reading.policy == nil) == !reading.mistakes.isEmpty, "refused without a reason, or taken with a mistake")
            check(reading.mistakes + reading.warnings)
        }
    }

    private static func check(_ mistakes: [ConfigurationMistake]) {
        for mistake in mistakes {
            precondition((mistake.line ?? 0) >= 1 && !mistake.message.isEmpty, "a mistake without a place: \(mistake)")
            precondition(!mistake.description.contains("\n"), "a mistake of several lines")
        }
    }

    private static let configurationText = """
        {listen:'127.0.0.1:0',publicURL:'https://a.example',database:'sqlite:d.db',simulated:true,allowPrivateTargets:true,
        tls:{certificateFile:'a',privateKeyFile:'b'},trustedProxies:['10.0.0.0/8','::1'],apps:[{id:'acme',name:'A',bundleId:'com.example.acme',appAppleId:1,
        environments:['Production','Sandbox'],serverAPI:{issuerId:'57246542-96fe-1a63-e053-0824d011072a',keyId:'2X9R4HXF34',privateKeyFile:'k'},
        trustedRoots:['r.pem'],onlineChecks:false,consent:{mode:'blanket',attestation:'x'},repeatRefunder:{granted:2},
        products:{'*':{sampleContentProvided:true,delivery:'DELIVERED',granted:5,duration:'P1M',meter:'m',costs:{a:{unit:1e3,currency:'USD'}},
        outages:[{from:'2026-11-01T10:00Z',to:'2026-11-01T14:00Z',status:'UNDELIVERED_SERVER_OUTAGE'}]}},
        economics:{smallBusinessProgram:true},retention:{usage:'2y',bodies:null},policy:{rules:[{name:'a',then:{answer:'none'}}]},
        alerts:[{kind:'telegram',token:'${T}',chatId:'1'},{kind:'email',smtp:'smtp://u:p@h:587',from:'a@b',to:['c@d']}],
        webhooks:[{url:'https://a.example',secret:'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',events:['refund.*']}],
        forward:[{url:'https://b.example'}]}]}
        """
}

private func printed(_ node: JSON5Node) -> String {
    switch node.value {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let number): "\(number.significand)e\(number.exponent)"
    case .string(let text): quoted(text)
    case .array(let elements): "[" + elements.map(printed).joined(separator: ",") + "]"
    case .object(let members): "{" + members.map { quoted($0.key) + ":" + printed($0.node) }.joined(separator: ",") + "}"
    }
}

private func quoted(_ text: String) -> String {
    "\""
        + text.unicodeScalars.map { scalar in
            if scalar.isASCII, scalar.value >= 0x20, scalar != "\"", scalar != "\\" { return String(scalar) }
            return String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }.joined() + "\""
}

/// Places aside: the printed text has others.
private func isSame(_ one: JSON5Node, _ other: JSON5Node) -> Bool {
    switch (one.value, other.value) {
    case (.array(let own), .array(let others)): own.count == others.count && zip(own, others).allSatisfy(isSame)
    case (.object(let own), .object(let others)):
        own.count == others.count && zip(own, others).allSatisfy { $0.key == $1.key && isSame($0.node, $1.node) }
    default: one.value == other.value
    }
}
