import CLibcurl

/// A date as HTTP headers write it.
package enum HTTPDate {
    /// Reads any of the three forms of RFC 9110, 5.6.7.
    ///
    /// - Returns: Milliseconds since the epoch; `nil` where the text is no date.
    package static func milliseconds(_ text: String) -> Int64? {
        let seconds = unsafe curl_getdate(text, nil)
        return seconds < 0 ? nil : Int64(seconds) * 1000
    }
}
