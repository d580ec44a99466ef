"""Judge a server's lists: rules as data, and pure functions from definitions to findings."""
