import Domain
import Foundation

/// An alert as a mail: plain text in UTF-8.
///
/// - Source: RFC 5322, 2047 and 2045; RFC 3834 for `Auto-Submitted`.
struct MailText {
    let bytes: [UInt8]

    init(_ message: AlertMessage, box: AlertChannel.MailBox, identity: String, at now: Timestamp) {
        let domain = box.sender.split(separator: "@").last.map(String.init) ?? "localhost"
        let headers = [
            "Date: \(MailHeader.date(now))",
            "From: Refund Desk <\(box.sender)>",
            "To: \(box.everyone.map { "<\($0)>" }.joined(separator: ",\r\n "))",
            "Message-ID: <\(identity)@\(domain)>",
            "Subject: \(MailHeader.encode(message.title, firstLine: 75 - "Subject: ".count))",
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: quoted-printable",
        ]
        bytes = Array((headers.joined(separator: "\r\n") + "\r\n\r\n" + QuotedPrintable.encode(message.text + "\n")).utf8)
    }
}

/// The text of a header.
enum MailHeader {
    /// - Source: RFC 2047, 2.
    static let longestWord = 75

    /// Plain where it is short and ASCII, else in encoded words. Control characters, line breaks above all, become spaces.
    ///
    /// - Parameters:
    ///   - firstLine: What room the header's name leaves.
    ///   - separator: What stands between two encoded words, and is no part of the text: in a mail, a fold.
    static func encode(_ text: String, firstLine: Int = longestWord, separator: String = "\r\n ") -> String {
        let text = String(text.map { $0.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } ? " " : $0 })
        if text.utf8.allSatisfy({ $0 < 0x80 }), text.utf8.count <= max(firstLine, 200), !text.contains("=?") { return text }
        let (opening, closing) = ("=?utf-8?B?", "?=")
        // Four characters of base64 stand for three bytes.
        func room(_ line: Int) -> Int { max((line - opening.count - closing.count) / 4 * 3, 9) }
        var words: [String] = []
        var rest = text[...]
        while !rest.isEmpty {
            let limit = room(words.isEmpty ? firstLine : longestWord)
            var word = rest.prefix(limit)
            while word.utf8.count > limit, word.count > 1 { word = word.dropLast() }
            words.append(opening + Data(word.utf8).base64EncodedString() + closing)
            rest = rest[word.endIndex...]
        }
        return words.joined(separator: separator)
    }

    /// - Source: RFC 5322, 3.3.
    static func date(_ instant: Timestamp) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
        return formatter.string(from: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000))
    }
}

/// - Source: RFC 2045, 6.7.
enum QuotedPrintable {
    private static let digits = Array("0123456789ABCDEF".unicodeScalars)
    private static let longest = 76

    /// Lines of the text stay lines, ended by CR LF; those that are too long are broken softly.
    static func encode(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(encodeLine).joined(separator: "\r\n")
    }

    private static func encodeLine(_ line: Substring) -> String {
        var (encoded, length) = ("", 0)
        let bytes = Array(line.utf8)
        for (index, byte) in bytes.enumerated() {
            let isLast = index == bytes.count - 1
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "=") || (byte == UInt8(ascii: " ") && !isLast)
            let width = isPlain ? 1 : 3
            if length + width > longest - 1 {
                encoded += "=\r\n"
                length = 0
            }
            length += width
            if isPlain {
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                encoded.unicodeScalars.append("=")
                encoded.unicodeScalars.append(digits[Int(byte >> 4)])
                encoded.unicodeScalars.append(digits[Int(byte & 0xF)])
            }
        }
        return encoded
    }
}
