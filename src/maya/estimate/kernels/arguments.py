"""Where sizes stand in the arguments of kernels that no shipped header describes.

Read from launches of PyTorch 2.9.1 with sizes that were chosen to be found, and where nothing else
is said the same in 2.15.0.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Integers side by side in a parameter image."""

    at: int
    width: int  # bytes
    count: int = 1


# A leading number of elements, as most of PyTorch's kernels take it.
COUNT, WIDE_COUNT = Place(0, 4), Place(0, 8)

# Flash_fwd_params of FlashAttention 2; Flash_bwd_params begins with it.
FLASH_HEADS = Place(96, 4, 2)  # of queries, of keys
FLASH_SIZES = Place(176, 4, 5)  # batch, queries, keys, new keys, dimensions of a head
FLASH_WINDOW = Place(388, 4, 2)  # keys seen to the left and to the right; -1: all
# How large the parameters are where the window stands there: forward and backward of 2.9.1 and
# 2.15.0, and with the count that one kernel of the backward pass takes beside.
FLASH_BYTES = frozenset({464, 472, 640, 648, 644, 652})

# FlashAttention 3 as vLLM 0.14.1 builds it: tokens, dimensions, heads; of a page the same.
FLASH_3_QUERIES, FLASH_3_KEYS = Place(56, 4, 3), Place(160, 4, 3)
# vLLM 0.14.1's own kernels, where no size of a tensor is in the grid.
RMS_NORM, RMS_NORM_AND_ADD = Place(68, 4, 2), Place(36, 4, 2)  # tokens, columns
GATED_COLUMNS = Place(16, 4)
ROTARY_DIMENSIONS, ROTARY_HEADS = (
    Place(32, 4),
    Place(64, 4, 2),
)  # heads of queries, of keys
CACHED_HEADS = Place(80, 4, 2)  # heads, dimensions

# CUTLASS's memory-efficient attention: head dimension, that of values, queries, keys, two more, and
# a mask in the lowest byte of the last.
FMHA, FMHA_BACKWARD = Place(96, 4, 6), Place(144, 4, 6)

# Rows, stride, columns.
SOFTMAX_OF_WARP, SOFTMAX_OF_WARP_BACKWARD = Place(16, 4, 3), Place(24, 4, 3)
GAMMA_BETA = Place(0, 8, 2)  # rows, columns
COLUMNS_BEHIND_ROWS = Place(8, 8)  # of moments, 2.15.0
LOSS_ROWS, LOSS_BACKWARD_ROWS = (
    Place(48, 8),
    Place(44, 4),
)  # behind six addresses; five and a flag

# Accessors: sizes behind an address.
ACCESSOR_OF_THREE = Place(8, 4, 3)
ACCESSORS_OF_FOUR = Place(8, 4, 4), Place(48, 4, 4)
DEPTHWISE_FILTER = Place(96, 4, 2)  # the last two sizes of the third accessor
EMBEDDING_BAG = Place(40, 8, 3)  # indices, bags, features

# Indices, behind the addresses.
GATHER_COUNT, GATHER_SLICE_BYTES = Place(24, 4), Place(32, 8)  # 2.9.1
ROLL_COUNT = Place(16, 8)
CHUNKS = Place(64, 8, 3)  # bytes of a slice, of a chunk, how many times wider the result is; 2.9.1
SPLIT = Place(40, 8, 2)  # bytes of a row, rows; 2.9.1
EMBEDDING_FEATURES = Place(24, 4), Place(32, 8)  # indices, columns
EMBEDDING_WEIGHTS = Place(24, 8, 2)  # indices, columns
EMBEDDING_SUMS = Place(16, 8)  # columns
INDEX_BACKWARD = Place(32, 8, 4)  # indices, elements of one, those between rows, repetitions
REVERSED_PLACES = Place(8, 4)  # how many
GROUPS = Place(0, 8, 2)  # images, channels; backward: channels alone

# Pooling. Of planes the results come first, as COUNT.
POOLED_PLANE = Place(24, 8, 2)  # height and width before pooling
MAX_POOLED, MAX_POOL_WINDOW = Place(40, 4, 2), Place(48, 4, 2)
# Of averages one result size is wide, for the compiler's sake.
AVERAGE_POOLED = Place(40, 8), Place(48, 4)
AVERAGE_POOL_WINDOW = Place(52, 4, 2)
# Behind three addresses: channels and sizes before, images and sizes after, the window.
POOLED_VOLUME, VOLUMES_RESULT, VOLUME_WINDOW = (
    Place(24, 4, 4),
    Place(40, 4, 4),
    Place(56, 4, 3),
)

# ctc_loss_log_alpha_gpu_kernel and its mirror: three addresses, then the longest input.
CTC_STEPS = Place(24, 8)
