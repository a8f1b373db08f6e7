#ifndef STORYKEEP_SLOWSYNC_H
#define STORYKEEP_SLOWSYNC_H

// Nothing to call: the library is preloaded (slowsync.c).

#endif
