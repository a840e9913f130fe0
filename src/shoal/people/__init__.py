"""What is published about people beside their edges: attributes that an attacker knows, and a column that nobody knows."""
