import StoryCore

func post(_ fields: [JSONField], in directory: any Directory) -> StoryCommand? {
    guard case .success(let command) = PostStoryForm(fields).build(in: directory) else { return nil }
    return .post(command)
}
