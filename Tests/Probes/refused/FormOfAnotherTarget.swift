// refused: 'command' is inaccessible due to 'internal' protection level
import StoryCore

enum AnyStory: Form {
    enum FieldID: String, FormFieldID { case title }

    static func read(_ reader: inout FormReader<FieldID>, in directory: any Directory) -> Command<StoryEvent>? {
        reader.command(.deleted)
    }
}
