print("pagebridge")
