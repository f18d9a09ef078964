"""Published measurements: Parquet files in workshop/data, or the raw folder they are made from."""
