"""What expressions give: CEL's conformance rules and Kubernetes' libraries, as tables."""

from __future__ import annotations

import pytest

from argosy.api.cel import CelError, CompileError, compile_expression
from argosy.api.cel.types import DYN
from argosy.api.cel.values import Duration, Optional, OverBudget, Timestamp, TypeValue, UInt
from argosy.base.types import Json

SECOND = 1_000_000_000

VALUES: dict[str, Json] = {
    # arithmetic
    "1 + 2 * 3": 7,
    "(1 + 2) * 3": 9,
    "-7 / 2": -3,
    "-7 % 2": -1,
    "7 % -2": 1,
    "--5": 5,
    "5 - -3": 8,
    "9223372036854775807 - 1": 9223372036854775806,
    "0x1F": 31,
    "1u + 2u": UInt(3),
    "7u / 2u": UInt(3),
    "1.5 * 2.0": 3.0,
    "1.0 / 0.0": float("inf"),
    "-1.0 / 0.0": float("-inf"),
    "1e3": 1000.0,
    ".5 + .25": 0.75,
    # strings
    "'a' + \"b\"": "ab",
    r"'\x41\u00e9\101\n'": "Aé" + "A\n",
    r"r'\n'": "\\n",
    "'''a\n'b'''": "a\n'b",
    r"b'\xff\101'": b"\xffA",
    "b'é'": "é".encode(),
    "size('héllo')": 5,
    "size(b'é')": 2,
    "'héllo'.charAt(1)": "é",
    "'tacocat'.charAt(7)": "",
    "'tacocat'.indexOf('ac')": 1,
    "'tacocat'.indexOf('a', 3)": 5,
    "'tacocat'.indexOf('')": 0,
    "'tacocat'.lastIndexOf('a')": 5,
    "'tacocat'.lastIndexOf('a', 3)": 1,
    "'TacoCÆt'.lowerAscii()": "tacocÆt",
    "'TacoCæt'.upperAscii()": "TACOCæT",
    "'hello hello'.replace('he', 'we', 1)": "wello hello",
    "'hello hello'.replace('', '_')": "_h_e_l_l_o_ _h_e_l_l_o_",
    "'a-b-c'.split('-')": ["a", "b", "c"],
    "'a-b-c'.split('-', 2)": ["a", "b-c"],
    "'a-b-c'.split('-', 0)": [],
    "'abc'.split('')": ["a", "b", "c"],
    "'tacocat'.substring(4)": "cat",
    "'tacocat'.substring(0, 4)": "taco",
    r"'  \ttrim\n '.trim()": "trim",
    "['a', 'b'].join('-')": "a-b",
    "strings.quote('a\"b\\n')": '"a\\"b\\n"',
    "'abc'.matches('^a.c$')": True,
    "'abc\\n'.matches('^abc$')": False,
    "'abc 123 def 456'.find('[0-9]+')": "123",
    "'abc 123 def 456'.findAll('[0-9]+', 1)": ["123"],
    "'abc'.contains('b') && 'abc'.startsWith('a') && 'abc'.endsWith('c')": True,
    # formats
    "'%s %d %x %X %o %b'.format(['a', 12, 255, 255, 8, 5])": "a 12 ff FF 10 101",
    "'%.2f %f'.format([3.14159, 1234567.5])": "3.14 1,234,567.500000",
    "'%e'.format([12345.678])": "1.234568×10⁰⁴",
    "'%s'.format([[1, 2.5, 'a', true, null]])": '[1, 2.500000, "a", true, null]',
    "'%s'.format([{'b': 1, 'a': 'x'}])": '{"a":"x", "b":1}',
    "'%s %s'.format([type(1), duration('90s')])": "int 90s",
    "'100%%'.format([])": "100%",
    # comparisons
    "1 < 1.5 && 2u > 1 && 1 <= 1u": True,
    "dyn(1) == 1.0 && dyn(1u) == 1": True,
    "dyn(1) == true || dyn('1') == 1": False,
    "'a' < 'b' && false < true && b'a' < b'b'": True,
    "[1, 2] == [1, 2] && {'a': [1]} == {'a': [1]}": True,
    "null == null": True,
    "dyn(1) == null": False,
    # logic absorbs errors if the other side decides
    "1 / 0 == 1 || true": True,
    "true || 1 / 0 == 1": True,
    "1 / 0 == 1 && false": False,
    "false ? 1 / 0 : 2": 2,
    "!!true": True,
    # collections
    "[1, 2, 3][1]": 2,
    "{'a': 1}['a'] + {'a': 1}.a": 2,
    "{1: 'x', 2: 'y'}[2]": "y",
    "2 in [1, 2] && 'a' in {'a': 1}": True,
    "has({'a': 1}.a) && !has({'a': 1}.b)": True,
    "[1, 2] + [3]": [1, 2, 3],
    # macros
    "[1, 2, 3].all(x, x > 0)": True,
    "[1, 2, 3].exists(x, x == 2)": True,
    "[0, 1].exists(x, 1 / x == 1)": True,
    "[0, 1].all(x, 1 / x == 5)": False,
    "[1, 2, 2].exists_one(x, x == 2)": False,
    "[1, 2, 2].existsOne(x, x == 1)": True,
    "[1, 2, 3].map(x, x * x)": [1, 4, 9],
    "[1, 2, 3].map(x, x > 1, x * x)": [4, 9],
    "[1, 2, 3].filter(x, x > 1)": [2, 3],
    "{'a': 1, 'b': 2}.all(k, k in ['a', 'b'])": True,
    "{'a': 1, 'b': 2}.map(k, k + '!')": ["a!", "b!"],
    "[1, 2].map(x, [1, 2].map(x, x * 10))": [[10, 20], [10, 20]],
    # two variables
    "[1, 2, 3].all(i, v, i < v)": True,
    "{'a': 1}.exists(k, v, k == 'a' && v == 1)": True,
    "[1, 2, 3].transformList(i, v, i % 2 == 0, v * 10)": [10, 30],
    "[1, 2].transformMap(i, v, v * 10)": {0: 10, 1: 20},
    "{'a': 'x'}.transformMapEntry(k, v, {v: k})": {"x": "a"},
    # optionals
    "{'a': 1}.?a": Optional(present=True, value=1),
    "{'a': 1}.?b.orValue(7)": 7,
    "{'a': {'b': 2}}.?a.?b.value()": 2,
    "{'a': {'b': 2}}.?z.b.hasValue()": False,
    "[1][?3].or(optional.of(5)).value()": 5,
    "optional.of(2).optMap(x, x * 2).value()": 4,
    "optional.none().optMap(x, x * 2).hasValue()": False,
    "optional.of(2).optFlatMap(x, optional.of(x + 1)).value()": 3,
    "optional.ofNonZeroValue('').hasValue()": False,
    "[?optional.of(1), ?optional.none(), 3]": [1, 3],
    "{?'a': optional.none(), ?'b': optional.of(1)}": {"b": 1},
    "[optional.of(1), optional.none()].unwrapOpt()": [1],
    "[1, 2].first().value() + [1, 2].last().value()": 3,
    # types and conversions
    "type(1) == int && type('') == string && type(type(1)) == type": True,
    "type([]) == list && type({}) == map && type(null) == null_type": True,
    "type(timestamp(0)) == google.protobuf.Timestamp": True,
    "type(1.0)": TypeValue("double"),
    "int('-12') + int(3.9) + int(4u)": -5,
    "uint(3) + uint('4')": UInt(7),
    "double('1.5') + double(1)": 2.5,
    "string(1) + string(1u) + string(true) + string(b'x')": "11truex",
    "[string(1.0), string(1234567.0), string(0.00001), string(0.1)]": ["1", "1.234567e+06", "1e-05", "0.1"],
    "bool('true') && !bool('0')": True,
    "bytes('é')": "é".encode(),
    # time
    "duration('1h30m') + duration('500ms')": Duration(5400 * SECOND + SECOND // 2),
    "timestamp('1970-01-01T00:01:00Z') - timestamp(0)": Duration(60 * SECOND),
    "timestamp('1970-01-01T02:00:00+02:00') == timestamp(0)": True,
    "string(timestamp('1970-01-01T02:00:00.5+02:00'))": "1970-01-01T02:00:00.5+02:00",
    "string(duration('-1.5s'))": "-1.5s",
    "timestamp('2024-02-29T23:30:10.123456789Z').getMilliseconds()": 123,
    "timestamp('2024-02-29T23:30:10Z').getDate('+01:00')": 1,
    "timestamp('2024-02-29T23:30:10Z').getMonth()": 1,
    "timestamp('2024-02-29T23:30:10Z').getDayOfYear()": 59,
    "timestamp('2024-02-29T23:30:10Z').getDayOfWeek()": 4,
    "timestamp('2024-02-29T23:30:10Z').getHours('America/New_York')": 18,
    "duration('-90m').getHours() + duration('90m').getMinutes()": 89,
    "timestamp(0) + duration('1ns')": Timestamp(1),
    # lists
    "[1, 2, 2].isSorted() && !['b', 'a'].isSorted()": True,
    "[1, 2, 3].sum() + [4].max() + [5, 1].min()": 11,
    "[1.5, 2.5].sum()": 4.0,
    "[1, 2, 1].indexOf(1) + [1, 2, 1].lastIndexOf(1)": 2,
    "[3, 1, 2].sort()": [1, 2, 3],
    "['bb', 'a'].sortBy(x, size(x))": ["a", "bb"],
    "[1, 2, 3, 4].slice(1, 3)": [2, 3],
    "[[[1], [2]], [[3]]].flatten(2)": [1, 2, 3],
    "[1, 2, 1].distinct() + [1, 2].reverse() + lists.range(2)": [1, 2, 2, 1, 0, 1],
    "sets.contains([1, 2], [2]) && sets.equivalent([1, 1], [1]) && sets.intersects([1], [1, 2])": True,
    # Kubernetes' values
    "quantity('1Gi').isGreaterThan(quantity('1G')) && quantity('1k').add(1).asInteger() == 1001": True,
    "sign(quantity('-1')) + quantity('2').compareTo(quantity('3'))": -2,
    "quantity('1500m').isInteger() || isQuantity('x')": False,
    "quantity('1500m').asApproximateFloat()": 1.5,
    "ip('192.168.0.1').family() + ip('::1').family()": 10,
    "ip('127.0.0.1').isLoopback() && ip('8.8.8.8').isGlobalUnicast() && ip('::').isUnspecified()": True,
    "isIP('::ffff:1.2.3.4') || isIP('1.2.3') || isIP('::1%eth0')": False,
    "ip.isCanonical('2001:db8::abcd') && !ip.isCanonical('2001:DB8::ABCD')": True,
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')": True,
    "string(cidr('10.1.2.3/8').masked()) + string(cidr('10.1.2.3/8').ip())": "10.0.0.0/810.1.2.3",
    "url('https://u@ex.com:80/a b?x=1&x=2#f').getHostname() + url('http://[::1]:8/').getPort()": "ex.com8",
    "url('https://ex.com/p?x=1&x=2').getQuery()": {"x": ["1", "2"]},
    "isURL('/abs') && !isURL('../rel')": True,
    "semver('1.2.3').isLessThan(semver('1.2.4')) && semver('1.0.0-rc.1').isLessThan(semver('1.0.0'))": True,
    "semver('v1.2', true).minor() + semver('1.2.3').compareTo(semver('1.2.3+build'))": 2,
    "isSemver('01.2.3') || isSemver('v1.0.0')": False,
    "format.named('dns1123Label').value().validate('ok').hasValue()": False,
    "format.named('dns1123Label').value().validate('-').value().size()": 1,
    "format.named('nope').hasValue()": False,
}  # fmt: skip

ERRORS: dict[str, str] = {
    "1 / 0": "division by zero",
    "1 % 0": "modulus by zero",
    "9223372036854775807 + 1": "integer overflow",
    "-9223372036854775808 - 1": "integer overflow",
    "-(-9223372036854775808)": "integer overflow",
    "9223372036854775807 * 2": "integer overflow",
    "1u - 2u": "unsigned integer overflow",
    "uint(-1)": "unsigned integer overflow",
    "int(1e19)": "integer overflow",
    "[1][1]": "index out of bounds: 1",
    "[1][-1]": "index out of bounds: -1",
    "{'a': 1}['b']": "no such key: b",
    "{'a': 1}.b": "no such key: b",
    "int('x')": "type conversion error from 'string' to 'int'",
    "'abc'.substring(4)": "index out of range: 4",
    "'abc'.substring(2, 1)": "invalid substring range. start: 2, end: 1",
    "optional.none().value()": "optional.none() dereference",
    "dyn(1) + 'a'": "no such overload",
    "dyn(true) + 1": "no such overload: _+_",
    "dyn('a') < 1": "no such overload",
    "dyn(1).startsWith('a')": "no such overload",
    "dyn(1).lowerAscii()": "no such overload: lowerAscii(int)",
    "size(dyn(1))": "no such overload: size",
    "dyn(1).foo": "no such key: foo",
    "dyn(1).all(x, true)": "got 'types.Int', expected iterable type",
    "double('NaN') < 1.0": "NaN values cannot be ordered",
    "1 / 0 == 1 || false": "division by zero",
    "1 / 0 == 1 && true": "division by zero",
    "[0, 2].exists(x, 1 / x == 1)": "division by zero",
    "[].max()": "max called on empty list",
    "timestamp(253402300800)": "timestamp overflow",
    "duration('2562047h') + duration('1h')": "duration overflow",
    "quantity('x')": "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    "ip('1.2.3')": 'IP Address "1.2.3" parse error during conversion from string: '
    'ParseAddr("1.2.3"): IPv4 address too short',
    "cidr('1.2.3.4')": "network address parse error during conversion from string: network address parse error "
    "during conversion from string: netip.ParsePrefix(\"1.2.3.4\"): no '/'",
    "[1, 1].transformMapEntry(i, v, {v: i})": "insert failed: key 1 already exists",
    "'%d'.format([dyn('x')])": "error during formatting: decimal clause can only be used on integers, was given string",
    "'a'.find('(' + '')": "Illegal regex: error parsing regexp: missing closing ): `(`",
}


def run(text: str, this: Json = None) -> Json:
    return compile_expression(text, {"self": DYN}).run(this)


@pytest.mark.parametrize("text", VALUES)
def test_value(text: str) -> None:
    want = VALUES[text]
    got = run(text)
    assert (got, got.__class__) == (want, want.__class__)


@pytest.mark.parametrize("text", ERRORS)
def test_error(text: str) -> None:
    with pytest.raises(CelError) as caught:
        run(text)
    assert str(caught.value) == ERRORS[text]


def test_nan_is_not_equal_to_itself() -> None:
    assert run("double('NaN') == double('NaN')") is False


def test_nested_loops_end_with_the_budget() -> None:
    text = "self.all(a, self.all(b, self.all(c, a + b + c >= 0)))"
    with pytest.raises(OverBudget):
        run(text, list(range(200)))


def test_a_range_beyond_reason_is_refused_before_it_is_made() -> None:
    with pytest.raises(OverBudget):
        run("lists.range(9223372036854775807).size() > 0")


def test_deep_nesting_is_a_compile_error() -> None:
    with pytest.raises(CompileError, match="max recursion depth exceeded"):
        run("(" * 500 + "1" + ")" * 500)


def test_a_thousand_terms_do_not_nest() -> None:
    assert run(" && ".join(["true"] * 1000)) is True


def test_programs_can_run_within_each_other() -> None:
    program = compile_expression("self.map(x, x + 1)", {"self": DYN})
    assert [program.run([n]) for n in program.run([1, 2])] == [[3], [4]]
