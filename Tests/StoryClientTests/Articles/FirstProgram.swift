import Foundation
import StoryClient

func firstProgram(at address: StoreAddress) async throws {
    let client = StoreClient(address)

    let placed = try await client.append(NewEvent("Placed", ["item": "kettle"]), to: "order-1")
    print("written as version \(placed.version) of \(placed.stream), at position \(placed.position)")
    for event in try await client.read(.stream("order-1")).rows { print("\(event.version) \(event.type)") }

    let mika = UserForm(id: "mika", name: "Mika", email: "mika@example.org", prefecture: 13)
    let noor = UserForm(id: "noor", name: "Noor", email: "noor@example.org", prefecture: 27)
    try await client.users.post(mika, key: "sign-up-mika")
    try await client.users.post(noor, key: "sign-up-noor")

    let form = StoryForm(title: "Spring", message: "It came.", sender: "mika", recipient: "noor")
    try await client.stories.post(form)

    let newest = try await client.stories.list(.init(recipient: "noor"), limit: 10)
    for story in newest.rows { print("\(story.title), from \(story.sender)") }
}

func tellWhatIsWrong(_ client: StoreClient, _ form: StoryForm) async throws {
    do {
        try await client.stories.post(form)
    } catch let error as InvalidForm<StoryForm.Field> {
        for wrong in error.fields {
            switch wrong.field {
            case .title: print("The title: \(wrong.message)")
            case .message: print("The text: \(wrong.message)")
            case .sender, .recipient: print("The people: \(wrong.message)")
            case .id, .date: print("\(wrong.field): \(wrong.message)")
            }
        }
    } catch ClientError.exists(let message, _) {
        print(message)
    }
}

func showWhatIsThere(_ client: StoreClient, _ text: String) async throws {
    guard let address = ContentAddress(text) else { return print("\(text) is no address") }
    do {
        switch try await client.content(at: address) {
        case .user(let user): print(user.name)
        case .story(let story): print(story.title)
        case .message(let message): print(message.text)
        case .photo(let photo): print("ISO \(photo.iso)")
        }
    } catch ContentError.notFound {
        print("there is nothing at \(address)")
    } catch ContentError.gone {
        print("\(address) was deleted")
    }
}
