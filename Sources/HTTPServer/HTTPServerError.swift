/// Why a server cannot start. The message says what to do.
package struct HTTPServerError: Error, CustomStringConvertible {
    package enum Code: Sendable { case addressInUse, permission, badAddress, tls, system }
    package var code: Code
    package var message: String

    package var description: String { message }

    package init(code: Code, message: String) {
        self.code = code
        self.message = message
    }
}
