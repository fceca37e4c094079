from .heads.anchor import AnchorHead
