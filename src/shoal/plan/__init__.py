"""The stages cut into pieces of work: how each is done, people in shards, slices one by one and large ones in cells."""
