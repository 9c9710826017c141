"""What a cluster does by itself: garbage, namespaces, retention."""
