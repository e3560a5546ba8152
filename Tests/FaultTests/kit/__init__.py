"""What breaks connections and processes, and what measures them."""
