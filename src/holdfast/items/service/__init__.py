"""What runs for spread beside the requests: what is known of projects, and claims gathered into steps."""
