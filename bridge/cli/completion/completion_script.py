"""`bascule completion`: a script by which a shell completes this command line."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from bridge.cli.parsing import Parser, Subparsers
from bridge.contract.error_codes import ExitCode

__all__ = ["SCRIPTS", "add_parser", "run"]

_EPILOG: Final = """\
examples:
  source <(bascule completion bash)                     # in ~/.bashrc
  source <(bascule completion zsh)                      # in ~/.zshrc, after compinit
  bascule completion fish > ~/.config/fish/completions/bascule.fish

Commands and options are completed, and of the app that is attached: its name, its actions, and the
keys and values of an action's input. That asks the app, for a second at most.
"""
_BASH: Final = """\
_bascule() {
    local line typed=${COMP_LINE:0:COMP_POINT}
    COMPREPLY=()
    # Read, not expanded: a name may look like a pattern of files.
    while IFS= read -r line; do
        case $line in
            :files)
                compopt -o filenames 2>/dev/null
                while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$2")
                return
                ;;
            :nospace) compopt -o nospace 2>/dev/null ;;
            *) COMPREPLY+=("$line") ;;
        esac
    done < <("$1" __complete bash "$typed" "$COMP_WORDBREAKS" 2>/dev/null)
}
complete -F _bascule bascule
"""
_ZSH: Final = """\
#compdef bascule
_bascule() {
    local line
    local -a whole open
    for line in "${(@f)$("${words[1]}" __complete zsh "${(@Q)words[1,CURRENT]}" 2>/dev/null)}"; do
        case $line in
            ('') ;;
            (:files) _files; return ;;
            (*'=':*|*.:*) open+=("$line") ;;
            (*) whole+=("$line") ;;
        esac
    done
    (( $#whole )) && _describe -t values value whole
    (( $#open )) && _describe -t keys key open -S ''
}
compdef _bascule bascule
"""
_FISH: Final = """\
function __bascule_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l found (command $before[1] __complete fish $before "$current" 2>/dev/null)
    if test "$found[1]" = ':files'
        __fish_complete_path "$current"
    else
        printf '%s\\n' $found
    end
end
complete -c bascule -f -a '(__bascule_complete)'
"""
SCRIPTS: Final[Mapping[str, str]] = MappingProxyType({"bash": _BASH, "zsh": _ZSH, "fish": _FISH})


def add_parser(subparsers: Subparsers) -> Parser:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "completion",
        help="print a completion script for a shell",
        description="Print a script by which a shell completes this command line.",
        epilog=_EPILOG,
    )
    parser.add_argument("shell", choices=tuple(SCRIPTS), metavar="SHELL", help="bash, zsh or fish")
    return parser


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    print(SCRIPTS[args.shell], end="")
    return ExitCode.DONE
