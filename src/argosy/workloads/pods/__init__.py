"""What controllers that own pods share: finding, adopting, making and ending them."""
