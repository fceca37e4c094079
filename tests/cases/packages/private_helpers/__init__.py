"""A private function is known by the callers of its module, unless another module imports it."""
