import Foundation
import FoundationXML

/// Whether a text is XML.
func isWellFormed(_ text: String) -> Bool { XMLParser(data: Data(text.utf8)).parse() }
