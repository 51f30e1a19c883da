"""The rest of the file: its functions and classes, who calls them, what attributes hold."""
