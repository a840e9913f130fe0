"""Sphinx configuration."""

import shoal

project = "shoal"
copyright = "the shoal authors"
release = shoal.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
html_theme = "pydata_sphinx_theme"
html_title = "shoal"
html_theme_options = {"show_prev_next": False, "navigation_with_keys": False}
html_sidebars = {"**": ["sidebar-nav-bs"]}
exclude_patterns = ["_build"]
autodoc_typehints = "description"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = True
myst_enable_extensions = ["dollarmath"]
