"""The subcommands, a module each: `add_parser(subparsers)` and `run(arguments) -> exit code`.

A new command is a module here and its name in `cli.COMMANDS`. Modules import what is slow (torch, the hub) inside `run`, so that `--help`
and `--version` answer at once.
"""
