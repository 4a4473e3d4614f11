"""`python -m astragal` is the command `astragal`."""

from astragal.cli.main import main

main()
