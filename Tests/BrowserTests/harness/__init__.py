"""What the browser tests stand on: processes, event files, pages, a cutting proxy and Chromium."""
