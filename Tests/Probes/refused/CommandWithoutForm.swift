// refused: 'PostStory' initializer is inaccessible due to 'fileprivate' protection level
import StoryCore

func post(_ event: StoryPosted) -> StoryCommand { .post(PostStory(id: nil, event: event)) }
