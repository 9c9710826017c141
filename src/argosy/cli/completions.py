"""`argosy completion SHELL`: a script that has the shell ask `argosy __complete WORDS...` what could come next.

So verbs and flags are always those of the installed argosy, and names of jobs, clusters and queues those of the fleet.
Answers are lines: a word, and after a tab what it means, for shells that show it.
"""

from __future__ import annotations

import argparse
from typing import Final

from argosy.cli.flags import Commands, add_parser

COMPLETE: Final = "__complete"

_BASH: Final = """\
# bash completion of argosy: source <(argosy completion bash)
_argosy() {
    local word="${COMP_WORDS[COMP_CWORD]}" line
    COMPREPLY=()
    while IFS= read -r line; do
        [[ "${line%%$'\\t'*}" == "$word"* ]] && COMPREPLY+=("${line%%$'\\t'*}")
    done < <(argosy __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -o default -F _argosy argosy
"""
_ZSH: Final = """\
#compdef argosy
# zsh completion of argosy: argosy completion zsh > DIR/_argosy, for a DIR of fpath
_argosy() {
    local -a lines answers
    local line
    lines=("${(@f)$(argosy __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    for line in $lines; do
        answers+=("${${line%%$'\\t'*}//:/\\\\:}${${(M)line%$'\\t'*}:+:${line#*$'\\t'}}")
    done
    if (( ${#answers} )); then
        _describe 'argosy' answers
    else
        _files
    fi
}
if [[ "$funcstack[1]" == "_argosy" ]]; then
    _argosy "$@"
else
    compdef _argosy argosy
fi
"""
_FISH: Final = """\
# fish completion of argosy: argosy completion fish > ~/.config/fish/completions/argosy.fish
function __argosy_complete
    set -l words (commandline -opc) (commandline -ct)
    argosy __complete $words[2..-1] 2>/dev/null
end
complete -c argosy -n 'test -n "$(__argosy_complete)"' -f -a '(__argosy_complete)'
"""
SCRIPTS: Final = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def add_completion(commands: Commands) -> None:
    parser = add_parser(
        commands, ("completion",), "Print the script that has a shell complete argosy's commands."
    )
    parser.add_argument("shell", choices=sorted(SCRIPTS), help="for which shell")
    parser.set_defaults(run=_print)


def _print(parsed: argparse.Namespace) -> int:
    print(SCRIPTS[parsed.shell], end="")
    return 0
