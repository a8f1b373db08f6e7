// hiredis, and what of Linux the load generator needs that Swift's Glibc module does not show.
#include <hiredis/hiredis.h>
#include <sys/epoll.h>
