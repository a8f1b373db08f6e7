// refused: missing argument for parameter 'title' in call
import StoryClient

func untitled() -> StoryForm { StoryForm(message: "It came.", sender: "007", recipient: "008") }
