"""Tokens to a syntax tree: CEL's whole grammar, by recursive descent.

    expr     = or ["?" or ":" expr]         member  = primary {"." name ["(" args ")"] | "[" expr "]"}
    or       = and {"||" and}               primary = name ["(" args ")"] | "(" expr ")" | list | map | literal
    and      = relation {"&&" relation}
    relation = sum {("<" | "==" | "in" ...) sum}

Macros are expanded here. Chains of && and || become balanced trees, so that a chain of a thousand terms does not
nest a thousand deep. Syntax errors carry the wording of cel-go's generated parser; parsing stops at the first of
them. Depth is bounded, because expressions come from users.
"""

from __future__ import annotations

from typing import Final

from argosy.api.cel.lexing import Token, tokenize, unquote, unquote_bytes
from argosy.api.cel.macros import MacroError, expand
from argosy.api.cel.nodes import (
    Call,
    Entry,
    Ident,
    ListLiteral,
    Literal,
    MapLiteral,
    Node,
    Select,
    StructLiteral,
)
from argosy.api.cel.source import CompileError, Problems
from argosy.api.cel.values import INT_MAX, INT_MIN, UINT_MAX, UInt

_MAX_DEPTH: Final = 100
_RELATIONS: Final = frozenset({"<", "<=", ">=", ">", "==", "!=", "in"})
_STARTERS: Final = (
    "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', "
    "NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER"
)
# Tokens that can only begin an operand.
_OPERANDS: Final = frozenset(
    {
        "(", "!", "true", "false", "null", "NUM_FLOAT", "NUM_INT", "NUM_UINT", "STRING", "BYTES", "IDENTIFIER",
    }
)  # fmt: skip
_RESERVED: Final = frozenset(
    {
        "as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let",
        "loop", "namespace", "null", "package", "return", "true", "var", "void", "while",
    }
)  # fmt: skip


def parse(text: str, problems: Problems) -> Node:
    """The tree of an expression. Problems are reported; raises CompileError when there are any."""
    parser = _Parser(tokenize(text, problems), problems)
    node = parser.expression()
    parser.finish()
    problems.check()
    return node


class _Parser:
    def __init__(self, tokens: list[Token], problems: Problems) -> None:
        self._tokens = tokens
        self._next = 0
        self._problems = problems
        self._depth = 0

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._tokens[self._next]
        self._next += 1
        return token

    def _accept(self, kind: str) -> Token | None:
        return self._take() if self._token.kind == kind else None

    def _expect(self, kind: str) -> Token:
        """The token of a kind; one wrong token before it is reported and passed over, as the generated parser does."""
        token = self._token
        if token.kind == kind:
            return self._take()
        if self._tokens[min(self._next + 1, len(self._tokens) - 1)].kind == kind:
            self._problems.report(
                token.at, f"Syntax error: extraneous input '{token.text}' expecting '{kind}'"
            )
            self._take()
            return self._take()
        if token.kind in _OPERANDS:
            raise self._mismatch(f"'{kind}'")
        raise self._failure(f"missing '{kind}' at '{token.text}'")

    def _failure(self, message: str) -> CompileError:
        self._problems.report(self._token.at, f"Syntax error: {message}")
        return CompileError(str(self._problems))

    def _mismatch(self, wanted: str) -> CompileError:
        return self._failure(f"mismatched input '{self._token.text}' expecting {wanted}")

    def finish(self) -> None:
        if self._token.kind == "<EOF>":
            return
        last = self._tokens[self._next + 1].kind == "<EOF>"
        kind = "extraneous" if last else "mismatched"
        raise self._failure(f"{kind} input '{self._token.text}' expecting <EOF>")

    def expression(self) -> Node:
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            self._problems.report(self._token.at, "max recursion depth exceeded")
            raise CompileError(str(self._problems))
        condition = self._logic("||", "&&")
        mark = self._accept("?")
        if mark is not None:
            yes = self._logic("||", "&&")
            if self._token.kind != ":":
                raise self._mismatch("':'")
            self._take()
            no = self.expression()
            condition = Call(mark.at, "_?_:_", [condition, yes, no])
        self._depth -= 1
        return condition

    def _logic(self, operator: str, inner: str) -> Node:
        terms = [self._logic(inner, "") if inner else self._relation()]
        places = []
        while (token := self._accept(operator)) is not None:
            places.append(token.at)
            terms.append(self._logic(inner, "") if inner else self._relation())
        return _balanced(f"_{operator}_", terms, places)

    def _relation(self) -> Node:
        left = self._sum()
        while self._token.kind in _RELATIONS:
            token = self._take()
            function = "@in" if token.kind == "in" else f"_{token.kind}_"
            left = Call(token.at, function, [left, self._sum()])
        return left

    def _sum(self) -> Node:
        left = self._product()
        while self._token.kind in {"+", "-"}:
            token = self._take()
            left = Call(token.at, f"_{token.kind}_", [left, self._product()])
        return left

    def _product(self) -> Node:
        left = self._unary()
        while self._token.kind in {"*", "/", "%"}:
            token = self._take()
            left = Call(token.at, f"_{token.kind}_", [left, self._unary()])
        return left

    def _unary(self) -> Node:
        token = self._token
        if token.kind == "-" and self._tokens[self._next + 1].kind in {"NUM_INT", "NUM_FLOAT"}:
            return self._member()
        if token.kind not in {"!", "-"}:
            return self._member()
        count = 0
        while self._accept(token.kind) is not None:
            count += 1
        operand = self._member()
        if count % 2 == 0:
            return operand
        return Call(token.at, "!_" if token.kind == "!" else "-_", [operand])

    def _member(self) -> Node:
        node = self._primary()
        while True:
            if (dot := self._accept(".")) is not None:
                node = self._selection(node, dot)
            elif (bracket := self._accept("[")) is not None:
                optional = self._accept("?") is not None
                index = self.expression()
                self._expect("]")
                node = Call(bracket.at, "_[?_]" if optional else "_[_]", [node, index])
            else:
                return node

    def _selection(self, operand: Node, dot: Token) -> Node:
        optional = self._accept("?") is not None
        if self._token.kind == "ESC_IDENTIFIER":
            self._problems.report(self._token.at, "unsupported syntax: '`'")
            return Select(dot.at, operand, self._take().text.strip("`"))
        if self._token.kind != "IDENTIFIER":
            raise self._failure(f"no viable alternative at input '{self._input(dot)}'")
        name = self._take()
        if optional or self._token.kind != "(":
            return Select(dot.at, operand, name.text, optional=optional)
        opened = self._take()
        return self._call(Call(opened.at, name.text, self._arguments(), operand))

    def _input(self, start: Token) -> str:
        end = self._token.at + (0 if self._token.kind == "<EOF>" else len(self._token.text))
        return self._problems.text[start.at : end]

    def _call(self, call: Call) -> Node:
        try:
            return expand(call)
        except MacroError as error:
            self._problems.report(error.at, error.message)
            return call

    def _arguments(self) -> list[Node]:
        args: list[Node] = []
        if self._accept(")") is not None:
            return args
        args.append(self.expression())
        while self._accept(",") is not None:
            args.append(self.expression())
        self._expect(")")
        return args

    def _primary(self) -> Node:
        token = self._token
        match token.kind:
            case "(":
                self._take()
                node = self.expression()
                self._expect(")")
                return node
            case "[":
                self._take()
                return self._list(token)
            case "{":
                self._take()
                return self._map(token)
            case "IDENTIFIER" | ".":
                return self._name()
            case "true" | "false" | "null":
                self._take()
                return Literal(token.at, {"true": True, "false": False, "null": None}[token.kind])
            case "-" | "NUM_INT" | "NUM_UINT" | "NUM_FLOAT" | "STRING" | "BYTES":
                return self._literal()
            case _ if (
                self._tokens[self._next + 1 :] and self._tokens[self._next + 1].kind in _OPERANDS
            ):
                self._problems.report(
                    token.at,
                    f"Syntax error: extraneous input '{token.text}' expecting {{{_STARTERS}}}",
                )
                self._take()
                return self._primary()
            case _:
                raise self._mismatch(f"{{{_STARTERS}}}")

    def _name(self) -> Node:
        dot = self._accept(".")
        if self._token.kind != "IDENTIFIER":
            raise self._mismatch("IDENTIFIER")
        token = self._take()
        name = f".{token.text}" if dot else token.text
        if token.text in _RESERVED:
            self._problems.report((dot or token).at, f"reserved identifier: {token.text}")
            return Ident(token.at, name)
        if self._token.kind == "(":
            opened = self._take()
            return self._call(Call(opened.at, name, self._arguments()))
        struct = self._struct(name)
        return struct if struct is not None else Ident(token.at, name)

    def _struct(self, name: str) -> Node | None:
        """`a.b.Name{...}`: only a brace right after a dotted name makes a message literal."""
        ahead = self._next
        while self._tokens[ahead].kind == "." and self._tokens[ahead + 1].kind == "IDENTIFIER":
            name += "." + self._tokens[ahead + 1].text
            ahead += 2
        if self._tokens[ahead].kind != "{":
            return None
        brace = self._tokens[ahead]
        self._next = ahead + 1
        while self._token.kind in {"IDENTIFIER", "?"}:
            self._accept("?")
            self._expect("IDENTIFIER")
            self._expect(":")
            self.expression()
            if self._accept(",") is None:
                break
        self._expect("}")
        return StructLiteral(brace.at, name)

    def _list(self, opened: Token) -> Node:
        elements: list[Node] = []
        optionals = set()
        while self._token.kind not in {"]", "<EOF>"}:
            if self._accept("?") is not None:
                optionals.add(len(elements))
            elements.append(self.expression())
            if self._accept(",") is None:
                break
        if self._token.kind != "]":
            raise self._mismatch("{']', ','}")
        self._take()
        return ListLiteral(opened.at, elements, frozenset(optionals))

    def _map(self, opened: Token) -> Node:
        entries = []
        while self._token.kind not in {"}", "<EOF>"}:
            optional = self._accept("?") is not None
            key = self.expression()
            if self._token.kind != ":":
                raise self._mismatch("':'")
            self._take()
            entries.append(Entry(key, self.expression(), optional))
            if self._accept(",") is None:
                break
        if self._token.kind != "}":
            raise self._mismatch("{'}', ','}")
        self._take()
        return MapLiteral(opened.at, entries)

    def _literal(self) -> Node:
        at = self._token.at
        minus = self._accept("-")
        if minus is not None and self._token.kind not in {"NUM_FLOAT", "NUM_INT"}:
            self._problems.report(at, "invalid constant literal expression")
            raise self._failure(f"no viable alternative at input '{self._input(minus)}'")
        sign = "-" if minus is not None else ""
        token = self._take()
        text = token.text
        match token.kind:
            case "NUM_FLOAT":
                value = float(sign + text)
                if value in {float("inf"), float("-inf")}:
                    self._problems.report(at, "invalid double literal")
                return Literal(at, value)
            case "NUM_INT":
                number = int(sign + text, 16 if text.startswith("0x") else 10)
                if not INT_MIN <= number <= INT_MAX:
                    self._problems.report(at, "invalid int literal")
                return Literal(at, number)
            case "NUM_UINT":
                number = int(text[:-1], 16 if text.startswith("0x") else 10)
                if number > UINT_MAX:
                    self._problems.report(at, "invalid uint literal")
                return Literal(at, UInt(number))
            case _:
                try:
                    decoded = unquote(text) if token.kind == "STRING" else unquote_bytes(text[1:])
                except ValueError as error:
                    self._problems.report(at, str(error))
                    return Literal(at, "")
                return Literal(at, decoded)


def _balanced(function: str, terms: list[Node], places: list[int]) -> Node:
    if len(terms) == 1:
        return terms[0]
    middle = len(places) // 2
    left = _balanced(function, terms[: middle + 1], places[:middle])
    right = _balanced(function, terms[middle + 1 :], places[middle + 1 :])
    return Call(places[middle], function, [left, right])
