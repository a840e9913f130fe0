"""Sphinx configuration."""

import sys
from pathlib import Path

import shoal

sys.path.insert(0, str(Path(__file__).parent))

project = "shoal"
copyright = "the shoal authors"
release = shoal.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode", "commands_page"]
exclude_patterns = ["_build"]
templates_path = ["_templates"]

html_theme = "pydata_sphinx_theme"
html_title = "shoal"
html_static_path = ["_static"]
html_css_files = ["shoal.css"]
html_sidebars = {"**": ["all-pages"]}
html_theme_options = {
    "navbar_center": [],
    "navbar_persistent": [],
    "navbar_end": ["search-button", "theme-switcher"],
    "show_prev_next": False,
    "navigation_with_keys": False,
    "show_toc_level": 2,
}
html_show_sourcelink = False
smartquotes = False  # --nodes is not an en dash

autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_member_order = "bysource"
napoleon_numpy_docstring = True
napoleon_google_docstring = False
myst_heading_anchors = 3
