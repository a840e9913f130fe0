"""The last stage, write: a release folder to be published, and the private record that is not."""

from shoal.write.folder import check_target, write_release

__all__ = ["check_target", "write_release"]
