"""The HTTP server on real sockets."""
