"""Only the repository's root may name pytest plugins: `pytester` runs the plugin's own tests."""

pytest_plugins = ["pytester"]
