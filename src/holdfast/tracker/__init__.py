"""Share: the tracker that members' BitTorrent clients announce to."""
