"""What the source says by itself: names, annotations, defaults and uses, before values are followed or beside them."""
