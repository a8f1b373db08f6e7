import COpenSSL

/// The common name in the subject of a certificate.
enum CommonName {
    /// The greatest length of a name in bytes.
    private static let longest = 256

    /// Reads the name; nil unless there is exactly one, of 1 to 256 bytes without control characters.
    static func read(_ certificate: OpaquePointer) -> String? {
        guard let subject = X509_get_subject_name(certificate) else { return nil }
        let index = X509_NAME_get_index_by_NID(subject, NID_commonName, -1)
        guard index >= 0, X509_NAME_get_index_by_NID(subject, NID_commonName, index) < 0,
            let value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, index))
        else { return nil }
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&bytes, value)
        guard count >= 0, let bytes else { return nil }
        defer { CRYPTO_free(bytes, nil, 0) }
        guard 1...longest ~= Int(count) else { return nil }
        let name = String(validating: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
        guard let name, !name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            return nil
        }
        return name
    }
}
