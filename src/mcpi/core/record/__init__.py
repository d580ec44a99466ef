"""Records of a run: transcript, trace, envelope, and summaries."""
