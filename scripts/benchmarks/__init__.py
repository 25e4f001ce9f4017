"""The parts of `scripts/bench`. Ratios within one run; never absolute promises."""
