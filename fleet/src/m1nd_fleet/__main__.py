"""Entry point of `python -m m1nd_fleet`."""

from m1nd_fleet.cli import main

raise SystemExit(main())
