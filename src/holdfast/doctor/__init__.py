"""`holdfast doctor`: looks at everything a running Holdfast leans on, and says how to mend what it finds."""
