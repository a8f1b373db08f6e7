/// What this program is called and which one it is.
package enum ServerVersion {
    package static let number = "0.1.0"
    package static let name = "stored/\(number)"
}
