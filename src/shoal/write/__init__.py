"""The last stage, write: a release folder that is safe to publish, and the private record that is not."""

from shoal.write.folder import check_target, write_release

__all__ = ["check_target", "write_release"]
