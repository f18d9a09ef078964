"""Constants of conversion. Names of variables carry their unit; formatting happens at the edge."""

KIB = 1024
MIB = 1024**2
GIB = 1024**3

NS_PER_US = 1_000
NS_PER_MS = 1_000_000
NS_PER_S = 1_000_000_000

KHZ_PER_MHZ = 1_000
MW_PER_W = 1_000
