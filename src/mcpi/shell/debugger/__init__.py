"""Node.js processes under the inspector."""
