"""What a running part tells of itself: log lines, request ids and metrics."""
