"""The conversation with the inspector of a Node.js process, without the process."""
