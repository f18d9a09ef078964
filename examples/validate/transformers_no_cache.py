"""The same models without a cache of keys and values.

The library of the time kept references to keys and values, today's copies them: the largest
batches, which fitted then, do not fit with the copies.
"""

import transformers_eager

if __name__ == "__main__":
    for config in transformers_eager.CONFIGS.values():
        config.use_cache = False
    transformers_eager.main()
