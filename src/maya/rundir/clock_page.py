"""The page on which the processes of a job share its virtual clock: struct Page of
native/clock/page.h; a test holds the two together."""

import struct

PAGE_BYTES = 8192  # more than the struct has
STARTS = struct.Struct("<qQQ")  # its first fields: furthest, and where the real clocks stood
FURTHEST_AND_START = struct.Struct("<qQ")
STANDING = struct.Struct("<i")
STANDING_AT = 28
PROCESSES = struct.Struct("<256i")
PROCESSES_AT = 32
