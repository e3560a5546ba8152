print("probe host")
