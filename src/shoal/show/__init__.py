"""How results look in a notebook: tables and charts."""
