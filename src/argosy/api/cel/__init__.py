"""CEL for x-kubernetes-validations: a parser, a type checker and a compiler to Python closures of our own.

`compile_expression` is the whole way from text to a program:

    lexing -> parsing (macros) -> checking (types, declarations, literals) -> compiling (closures)

Semantics and error texts are those of cel-go as Kubernetes v1.35 configures it; tests compare results with Google's
C++ engine. `rules` puts programs to work on objects.
"""

from __future__ import annotations

from argosy.api.cel.programs import Program, compile_expression
from argosy.api.cel.source import CompileError
from argosy.api.cel.values import CelError

__all__ = ["CelError", "CompileError", "Program", "compile_expression"]
