#!/usr/bin/env python3
"""Makes the JSON files beside it from docs/format.md alone. Python 3.9 or later, standard library only.

Every number on a path that the format fixes is a double (Python's float), in the order of the page; odds are exact
fractions of the law's integers, checked against e^epsilon in decimal at 60 digits.
"""
import base64
import hashlib
import json
import math
import re
import struct
from decimal import ROUND_CEILING, Decimal, getcontext
from fractions import Fraction
from pathlib import Path

getcontext().prec = 60
HERE = Path(__file__).resolve().parent
T = 4294967296.0  # a double: products with it round as they do elsewhere
TI = 1 << 32
M32, M64 = (1 << 32) - 1, (1 << 64) - 1
EPSILONS = [1e-4, 0.01, 0.1, 0.5, 0.6931471805599453, 1, 1.0986122886681098, 2, 3.7, 4, 8, 16]
SIZES = [2, 3, 4, 5, 10, 16, 100, 128, 1000, 1024, 100000]


class Refused(Exception):
    """A derivation that 32 bits cannot hold (format.md section 5)."""


# ---- format.md section 6: the exponential

def exp(x):
    """e^x for 0 <= x <= 64 by + - * / only."""
    x = float(x)
    n = math.floor(x / 0.6931471805599453 + 0.5)
    r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10
    s = 1.0
    for i in range(14, 0, -1):
        s = 1.0 + (r * s) / i
    return s * 2.0 ** n


def bound(x):
    """A double strictly below e^x."""
    return exp(x) * (1.0 - 2.0 ** -46)


def hold(odds, epsilon):
    """Refuses odds below e^(0.9 epsilon) (section 5)."""
    if odds < exp(0.9 * epsilon):
        raise Refused


def certify(odds, epsilon):
    """Asserts e^(0.9 epsilon) <= odds <= e^epsilon for exact odds, in decimal."""
    value, eps = Decimal(odds.numerator) / Decimal(odds.denominator), Decimal(epsilon)
    assert value <= eps.exp(), ("above e^epsilon", odds, epsilon)
    assert value >= (eps * 9 / 10).exp(), ("below e^(0.9 epsilon)", odds, epsilon)


# ---- format.md section 5: laws

def k_ary_truth(d, epsilon):
    """Section 5.1, as a double."""
    E = bound(epsilon)
    truth = float(math.floor(T * (E / (E + (d - 1)))))
    while truth * (d - 1) > E * (T - truth):
        truth -= 1
    hold(truth * (d - 1) / (T - truth), epsilon)
    return truth


def k_ary(d, epsilon):
    """Section 5.1: (law, exact odds)."""
    truth = int(k_ary_truth(d, epsilon))
    odds = Fraction(truth * (d - 1), TI - truth)
    certify(odds, epsilon)
    return {"mechanism": "k-ary", "size": d, "truth": truth}, odds


def k_ary_permanent(d, epsilon1, permanent):
    """Section 5.1, permanent: (law, exact odds of a report, exact odds of the stored symbol)."""
    A = k_ary_truth(d, permanent)
    E, a = bound(epsilon1), A / T
    other = (1 - a) / (d - 1)

    def same(B):
        return A * B + (T - A) * (T - B) / (d - 1)

    def rest(B):
        return (A * (T - B) + (T - A) * B + (T - A) * (T - B) * (d - 2) / (d - 1)) / (d - 1)

    B = min(T, float(math.floor(T * ((E / (E + (d - 1)) - other) / (a - other)))))
    while same(B) > E * rest(B):
        B -= 1
    hold(same(B) / rest(B), epsilon1)
    A, B = int(A), int(B)
    law = {"mechanism": "k-ary", "size": d, "truth": A, "irr": {"truth": B}}
    lie = Fraction((TI - A) * (TI - B), d - 1)
    odds = (A * B + lie) / ((A * (TI - B) + (TI - A) * B + lie * (d - 2)) / (d - 1))
    stored = Fraction(A * (d - 1), TI - A)
    certify(odds, epsilon1)
    certify(stored, permanent)
    return law, odds, stored


def subset(d, m, epsilon):
    """Section 5.2: (law, exact odds)."""
    E = bound(epsilon)
    include = float(math.floor(T * (E * m / (E * m + (d - m)))))
    while include * (d - m) > E * m * (T - include):
        include -= 1
    hold(include * (d - m) / ((T - include) * m), epsilon)
    include = int(include)
    odds = Fraction(include * (d - m), (TI - include) * m)
    certify(odds, epsilon)
    return {"mechanism": "subset", "size": d, "subset": m, "include": include}, odds


def choose_subset(d, epsilon):
    """Section 5.3, chooser 1: (m, 0 for k-ary; V)."""
    E = exp(epsilon)

    def V(p, q):
        return q * (1 - q) / ((p - q) * (p - q)) + (1 - p - q) / (d * (p - q))

    laws = [(V(E / (E + (d - 1)), 1 / (E + (d - 1))), ((d - 1).bit_length() + 7) // 8, 0)]
    subsets = []
    for m in (math.floor(d / (E + 1)), math.floor(d / (E + 1)) + 1):
        if 2 <= m <= d - 1:
            subsets.append((V(*set_supports(d, m, epsilon)), m))
    if subsets:
        v, m = min(subsets)
        laws.append((v, (d + 7) // 8, m))
    least = min(laws)[0]
    _, v, m = min((size, v, m) for v, size, m in laws if v <= 1.03 * least)
    return m, v


def set_supports(k, m, epsilon):
    """p and q of sets of m of k, from the real epsilon."""
    E = exp(epsilon)
    z = m * E + (k - m)
    return m * E / z, ((m - 1) * m * E + (k - m) * m) / ((k - 1) * z)


def choose(d, epsilon):
    """Section 5.3, chooser 1: the law of a list of d answers."""
    m, _ = choose_subset(d, epsilon)
    return (subset(d, m, epsilon) if m else k_ary(d, epsilon))[0]


def rappor_zero(epsilon):
    """Section 5.4: the threshold of a zero, as a double."""
    E = bound(epsilon)
    zero = float(math.ceil(T / (E + 1)))
    while (T - zero) > E * zero:
        zero += 1
    hold((T - zero) / zero, epsilon)
    return zero


def rappor_law(zero, epsilon, devices):
    """Section 5.4: the law without a second stage, cohorts from epsilon."""
    e, cohorts = exp(epsilon), 1
    V = 4 * e / ((e - 1) * (e - 1))
    while cohorts < 65536 and cohorts * cohorts * 128 * 128 * V < 900 * devices:
        cohorts *= 2
    return {"mechanism": "rappor", "bits": 128, "hashes": 1, "cohorts": cohorts, "one": TI // 2, "zero": int(zero)}


def rappor(epsilon, devices):
    """Section 5.4: (law, exact odds)."""
    law = rappor_law(rappor_zero(epsilon), epsilon, devices)
    odds = rappor_odds(law)[1]
    assert odds == Fraction(TI - law["zero"], law["zero"])
    certify(odds, epsilon)
    return law, odds


def rappor_permanent(epsilon1, permanent, devices):
    """Section 5.4, permanent: (law, exact odds of a report, exact odds of the stored symbol)."""
    Z = rappor_zero(permanent)
    E, q = bound(epsilon1), Z / T
    flip = max(0.0, float(math.ceil(T * ((1 / (E + 1) - q) / (1 - 2 * q)))))

    def is1(flip):
        return Z * (T - flip) + (T - Z) * flip

    def is0(flip):
        return Z * flip + (T - Z) * (T - flip)

    while is0(flip) > E * is1(flip):
        flip += 1
    hold(is0(flip) / is1(flip), epsilon1)
    law = {**rappor_law(Z, epsilon1, devices), "irr": {"one": TI - int(flip), "zero": int(flip)}}
    stored, odds = rappor_odds(law)
    certify(odds, epsilon1)
    certify(stored, permanent)
    return law, odds, stored


def rappor_odds(law):
    """Section 5.4, in general: exact (odds of the first stage, odds of a report)."""
    a, b, h = law["one"], law["zero"], law["hashes"]
    stored = Fraction(a * (TI - b), b * (TI - a)) ** h
    if "irr" not in law:
        return stored, stored
    c, g = law["irr"]["one"], law["irr"]["zero"]
    A, B = a * c + (TI - a) * g, b * c + (TI - b) * g
    return stored, Fraction(A * (TI * TI - B), B * (TI * TI - A)) ** h


def rappor_expert(f, p, q, bits, hashes, cohorts):
    """Section 5.4, an expert's f, p, q: (law, exact odds of a report, exact odds of the stored symbol)."""
    def nearest(x):
        return math.floor(x + 0.5)

    F = nearest(T * f / 2)
    law = {"mechanism": "rappor", "bits": bits, "hashes": hashes, "cohorts": cohorts, "one": TI - F, "zero": F}
    if not (p == 0 and q == 1):
        law["irr"] = {"one": nearest(T * q), "zero": nearest(T * p)}
    stored, odds = rappor_odds(law)
    return law, odds, stored


def unary(d, epsilon1, permanent=None, symmetric=False):
    """Section 5.5: (law, exact odds of a report, exact odds of the stored symbol)."""
    share = 2 if symmetric else 1
    first = (epsilon1 if permanent is None else permanent) / share
    law = {"mechanism": "unary", "size": d, "one": TI // 2, "zero": int(rappor_zero(first))}
    if permanent is not None:
        law["irr"] = rappor_permanent(epsilon1 / share, first, 1)[0]["irr"]
    if symmetric:
        law["one"] = TI - law["zero"]
    stored, odds = rappor_odds({**law, "hashes": 1})
    certify(odds, epsilon1)
    certify(stored, epsilon1 if permanent is None else permanent)
    return law, odds, stored


def choose_permanent(d, epsilon1, permanent):
    """Section 5.3: the law of a permanent list of d answers."""
    E = exp(epsilon1)
    p, q = E / (E + (d - 1)), 1 / (E + (d - 1))
    short = q * (1 - q) / ((p - q) * (p - q)) + (1 - p - q) / (d * (p - q))
    wide = 4 * E / ((E - 1) * (E - 1)) + 1 / d
    return (k_ary_permanent if short <= wide * (1.03 if d > 8 else 1) else unary)(d, epsilon1, permanent)[0]


# ---- format.md sections 5.18 to 5.20: finite fields and designs

def prime_of(q):
    """The prime that q is a power of, or None."""
    p = next((n for n in range(2, math.isqrt(q) + 1) if q % n == 0), q)
    rest = q
    while rest % p == 0:
        rest //= p
    return p if rest == 1 else None


def is_order(q):
    """Section 5.18: whether there is a GF(q)."""
    p = prime_of(q) if 2 <= q < 2 ** 26 else None
    return p is not None and (p == q or q <= 1024)


def field(q):
    """Section 5.18: (sum, product) of GF(q) as functions of two elements."""
    p = prime_of(q)
    if p == q:
        return lambda a, b: (a + b) % q, lambda a, b: a * b % q
    e = next(n for n in range(2, 11) if p ** n == q)

    def poly(a):
        return [a // p ** i % p for i in range(e)]

    def number(c):
        return sum(x % p * p ** i for i, x in enumerate(c))

    def product(a, b, reduced):
        long = [0] * (2 * e)
        for i, x in enumerate(poly(a)):
            for j, y in enumerate(poly(b)):
                long[i + j] += x * y
        for at in range(2 * e - 1, e - 1, -1):
            for i, x in enumerate(poly(reduced)):
                long[at - e + i] += x * long[at]
        return number(long[:e])

    def generates(reduced):
        seen, power = set(), 1
        while power not in seen:
            seen.add(power)
            power = product(power, p, reduced)
        return power == 1 and len(seen) == q - 1 and 0 not in seen

    reduced = next(r for r in range(1, q) if generates(r))
    return lambda a, b: number(x + y for x, y in zip(poly(a), poly(b))), lambda a, b: product(a, b, reduced)


def points(q, t):
    """Section 5.18: N(q, t)."""
    return sum(q ** i for i in range(t))


def dimension_for(q, d):
    """The least dimension from 2 on with points enough."""
    return next(t for t in range(2, 40) if points(q, t) >= d)


def mean_variance(d, p, q):
    """Section 5.3: V."""
    return q * (1 - q) / ((p - q) * (p - q)) + (1 - p - q) / (d * (p - q))


def fewest(designs):
    """Section 5.18: of (cells, V, order, dimension) the one that is chosen."""
    if not designs:
        raise Refused
    least = min(v for _, v, _, _ in designs)
    return min(design for design in designs if design[1] <= 1.03 * least)[2:]


def hadamard(d, epsilon, order=None):
    """Section 5.19: (law, exact odds)."""
    E, designs = exp(epsilon), []
    for Q in (2 ** c for c in range(1, 11)):
        n = dimension_for(Q, d)
        if Q ** n <= 2 ** 21 and order in (None, Q):
            designs.append((Q ** n, mean_variance(d, E / (E + (Q - 1)), 1 / Q), Q, n))
    Q, n = fewest(designs)
    law, odds = k_ary(Q, epsilon)
    return {"mechanism": "hadamard", "size": d, "order": Q, "dimension": n, "inside": law["truth"]}, odds


def projective_orders(d, epsilon):
    """Section 5.20: the orders of designs."""
    wanted, found = math.floor(exp(epsilon) + 1), set()
    if wanted < 2 ** 22:
        found |= {next(q for q in range(wanted, 1, -1) if is_order(q)), next(q for q in range(wanted + 1, 2 * wanted + 2) if is_order(q))}
    for t in range(2, 40):
        m = max(2, math.floor((d / 2) ** (1 / (t - 1))) - 2)
        while m > 2 and points(m, t) >= d:
            m -= 1
        while points(m, t) < d:
            m += 1
        found.add(next(q for q in range(m, 2 * m + 2) if is_order(q)))
        if 2 in found and points(2, t) >= d:
            return found


def projective(d, epsilon, order=None):
    """Section 5.20: (law, exact odds)."""
    E, designs = exp(epsilon), []
    for q in projective_orders(d, epsilon) if order is None else [order]:
        t = dimension_for(q, d)
        K, s = points(q, t), points(q, t - 1)
        p = s * E / (s * E + (K - s))
        if K <= 2 ** 22 and q * K * (t - 2) <= 2 ** 30:
            designs.append((K, mean_variance(d, p, p * points(q, t - 2) / s + (1 - p) / q), q, t))
    q, t = fewest(designs)
    law, odds = subset(points(q, t), points(q, t - 1), epsilon)
    return {"mechanism": "projective", "size": d, "order": q, "dimension": t, "inside": law["include"]}, odds


def vector(q, t, code):
    """Section 5.18: coordinates."""
    return [code // q ** i % q for i in range(t)]


def point_codes(q, t):
    """Section 5.18: the codes of points in their order."""
    return [code for code in range(1, q ** t) if [x for x in vector(q, t, code) if x][-1] == 1]


def answer_set(law, answer):
    """Sections 5.19, 5.20: the outputs in an answer's set."""
    q, t = law["order"], law["dimension"]
    add, product = field(q)
    v = vector(q, t, point_codes(q, t)[answer])
    found = []
    for output, code in enumerate(range(q ** t) if law["mechanism"] == "hadamard" else point_codes(q, t)):
        total = 0
        for x, y in zip(vector(q, t, code), reversed(v)):
            total = add(total, product(x, y))
        if total == 0:
            found.append(output)
    return found


def cohorts_of(d, m):
    """Section 5.21: (k, number of cohorts, c)."""
    k = next(k for k in range(1, 40) if m ** k >= d)
    return k, points(m, k), (m ** (k - 1) - 1) / (m ** k - 1)


def bucket(d, m, cohort, answer):
    """Section 5.21."""
    k = cohorts_of(d, m)[0]
    if k == 1:
        return answer
    (add, product), total = field(m), 0
    for x, y in zip(vector(m, k, point_codes(m, k)[cohort]), vector(m, k, answer)):
        total = add(total, product(x, y))
    return total


def enough(d, m, p, q):
    """Section 5.21: whether collisions cost at most 5 %."""
    c = cohorts_of(d, m)[2]
    return mean_variance(d, p, c * p + (1 - c) * q) <= 1.05 * mean_variance(d, p, q)


def count_mean_sketch(d, epsilon, m=None, permanent=None):
    """Section 5.22: (law, exact odds of a report, exact odds of the stored bits)."""
    law, odds, stored = unary(d, epsilon, permanent, True)
    once = unary(d, epsilon, None, True)[0]
    if m is None:
        primes = (m for m in range(2, d) if prime_of(m) == m and cohorts_of(d, m)[1] * m <= 2 ** 21)
        m = next((m for m in primes if enough(d, m, once["one"] / T, once["zero"] / T)), d)
    return {"mechanism": "count-mean-sketch", **{k: v for k, v in law.items() if k != "mechanism"}, "bits": m}, odds, stored


def hadamard_count_mean_sketch(d, epsilon, m=None):
    """Section 5.23: (law, exact odds)."""
    law, odds = k_ary(2, epsilon)
    m = m or next(2 ** a for a in range(1, 11) if enough(d, 2 ** a, law["truth"] / T, 0.5))
    return {"mechanism": "hadamard-count-mean-sketch", "size": d, "buckets": m, "truth": law["truth"]}, odds


def supporting(law, cohort, answer):
    """Sections 5.22, 5.23: the cells of a cohort that support an answer."""
    m = law.get("bits") or law["buckets"]
    own = bucket(law["size"], m, cohort, answer)
    return [own] if "bits" in law else [2 * j + bin(j & own).count("1") % 2 for j in range(m)]


def make_designs():
    """designs.json"""
    out = {"hadamard": [], "projective": [], "count_mean_sketch": [], "hadamard_count_mean_sketch": [], "sets": [], "refused": []}

    def add(make, **given):
        stages = [given["permanent"]] if "permanent" in given else []
        try:
            law, *odds = make(given["size"], given["epsilon"], given.get("order"), *stages)
        except Refused:
            out["refused"].append({"mechanism": make.__name__, **given})
            return
        out[make.__name__].append({**given, "law": law, "odds": ratio(odds[0]), **({"permanentOdds": ratio(odds[1])} if stages else {})})

    for make in (hadamard, projective):
        for d in SIZES + [7, 8, 31, 32, 1365, 1366]:
            for e in EPSILONS:
                add(make, size=d, epsilon=e)
        for d, order in ((2, 2), (5, 4), (100, 8), (100, 16), (1000, 32), (100000, 2), (100000, 1024)):
            add(make, size=d, epsilon=1, order=order)
        for e in (1e-11, 30):
            add(make, size=16, epsilon=e)
    for d, order in ((4, 3), (100, 9), (100, 27), (1000, 5), (1000, 997), (100000, 317)):
        add(projective, size=d, epsilon=2, order=order)
    for make, d, order in ((hadamard, 3, 2), (hadamard, 7, 2), (hadamard, 5, 4), (hadamard, 21, 4), (hadamard, 9, 8), (hadamard, 17, 16),
                           (projective, 7, 2), (projective, 13, 3), (projective, 21, 4), (projective, 31, 5), (projective, 9, 8),
                           (projective, 73, 8), (projective, 91, 9), (projective, 17, 16), (projective, 26, 25), (projective, 28, 27)):
        law = make(d, 1, order)[0]
        for answer in sorted({0, 1, d // 3, d // 2, d - 1}):
            out["sets"].append({"law": law, "cohort": 0, "answer": answer, "cells": answer_set(law, answer)})
    for make in (count_mean_sketch, hadamard_count_mean_sketch):
        for d in SIZES + [7, 31, 64, 65, 5000]:
            for e in EPSILONS:
                add(make, size=d, epsilon=e)
        for e in (1e-11, 50):
            add(make, size=16, epsilon=e)
    for d, m in ((4, 3), (100, 2), (100, 11), (100, 100), (100000, 317), (100000, 2)):
        add(count_mean_sketch, size=d, epsilon=2, order=m)
    for d, m in ((4, 2), (100, 2), (100, 16), (100, 1024), (100000, 512)):
        add(hadamard_count_mean_sketch, size=d, epsilon=2, order=m)
    for e, p in ((0.5, 1), (1, 4), (2, 2), (1e-4, 16)):
        add(count_mean_sketch, size=1000, epsilon=e, permanent=p)
    for make, d, m in ((count_mean_sketch, 5, 2), (count_mean_sketch, 9, 3), (count_mean_sketch, 50, 7), (count_mean_sketch, 6, 6),
                       (hadamard_count_mean_sketch, 5, 2), (hadamard_count_mean_sketch, 20, 4), (hadamard_count_mean_sketch, 70, 8),
                       (hadamard_count_mean_sketch, 16, 16)):
        law = make(d, 1, m)[0]
        for cohort in sorted({0, 1, cohorts_of(d, m)[1] - 1} & set(range(cohorts_of(d, m)[1]))):
            for answer in sorted({0, 1, d // 3, d // 2, d - 1}):
                out["sets"].append({"law": law, "cohort": cohort, "answer": answer, "cells": supporting(law, cohort, answer)})
    return out


def ratio(odds):
    """Odds as two decimal strings, lowest terms."""
    return [str(odds.numerator), str(odds.denominator)]


def ln_up(odds):
    """ln(odds) rounded up to six decimals."""
    ln = (Decimal(odds.numerator) / Decimal(odds.denominator)).ln()
    return str(ln.quantize(Decimal("0.000001"), rounding=ROUND_CEILING))


def make_laws():
    """laws.json"""
    out = {name: [] for name in ("kAry", "kAryPermanent", "subset", "unary", "list", "listPermanent", "rappor", "rapporPermanent",
                                 "rapporExpert", "refused", "exp", "lnUp")}
    seen = [Fraction(1), Fraction(2), Fraction(3)]

    def add(table, mechanism, made, **given):
        try:
            law, *odds = made()
        except Refused:
            out["refused"].append({"mechanism": mechanism, **given})
            return
        out[table].append({**given, "law": law, **dict(zip(("odds", "permanentOdds"), map(ratio, odds)))})
        seen.extend(odds)

    pairs = [(e, p) for p in EPSILONS for e in EPSILONS if e <= p]
    for d in SIZES:
        for e in EPSILONS:
            add("kAry", "k-ary", lambda: k_ary(d, e), size=d, epsilon=e)
            for m in sorted({2, 3, d // 4, d // 2, d - 1}):
                if 2 <= m <= d - 1:
                    add("subset", "subset", lambda: subset(d, m, e), size=d, subset=m, epsilon=e)
        for e, p in pairs:
            add("kAryPermanent", "k-ary", lambda: k_ary_permanent(d, e, p), size=d, epsilon=e, permanent=p)
    for d in SIZES + [6, 7, 8, 9, 12, 17, 24, 50, 256, 257, 258, 65536, 65537]:
        for e in EPSILONS + [0.3, 1.5, 2.5, 3, 5, 6]:
            out["list"].append({"size": d, "epsilon": e, "law": choose(d, e)})
            try:
                out["listPermanent"].append({"size": d, "epsilon": e, "permanent": e + 1, "law": choose_permanent(d, e, e + 1)})
            except Refused:
                continue
    for symmetric in (False, True):  # size is of no consequence
        for e in EPSILONS:
            add("unary", "unary", lambda: unary(16, e, None, symmetric), size=16, epsilon=e, symmetric=symmetric)
        for e, p in pairs[::2]:
            add("unary", "unary", lambda: unary(16, e, p, symmetric), size=16, epsilon=e, permanent=p, symmetric=symmetric)
    for e in EPSILONS:
        for n in (1, 1000, 20000, 1000000, 3000000000):
            add("rappor", "rappor", lambda: rappor(e, n), epsilon=e, devices=n)
    for e, p in pairs:
        for n in (1000, 250000):
            add("rapporPermanent", "rappor", lambda: rappor_permanent(e, p, n), epsilon=e, permanent=p, devices=n)
    for f in (0.1, 0.25, 0.5, 0.75):
        for p, q in ((0.5, 0.75), (0.25, 0.75), (0.35, 0.65), (0, 0.9), (0.1, 1), (0, 1)):
            for k, h, m in ((8, 1, 1), (32, 2, 64), (128, 2, 128), (1024, 4, 65536)):
                add("rapporExpert", "rappor", lambda: rappor_expert(f, p, q, k, h, m),
                    f=f, p=p, q=q, bits=k, hashes=h, cohorts=m)
    for e in (21, 25, 40, 64):  # too large for 32 bits, most of them
        add("kAry", "k-ary", lambda: k_ary(2, e), size=2, epsilon=e)
        add("kAryPermanent", "k-ary", lambda: k_ary_permanent(2, 1, e), size=2, epsilon=1, permanent=e)
        add("subset", "subset", lambda: subset(10, 3, e), size=10, subset=3, epsilon=e)
        add("rappor", "rappor", lambda: rappor(e, 1000), epsilon=e, devices=1000)
        add("rapporPermanent", "rappor", lambda: rappor_permanent(1, e, 1000), epsilon=1, permanent=e, devices=1000)
    assert {"mechanism": "k-ary", "size": 100000, "epsilon": 1e-4} in out["refused"]

    ln2 = 0.6931471805599453
    edges = [y for n in (1, 3, 63, 181) for x in [n * ln2 / 2] for y in (math.nextafter(x, 0), x, math.nextafter(x, 64))]
    for x in sorted({0, 1e-300, 1e-17, 2.0 ** -30, 64, math.nextafter(64, 0), *EPSILONS, *(0.9 * e for e in EPSILONS),
                     *edges, *(n / 7 for n in range(1, 448, 24)), *range(20, 64, 7)}):
        value = exp(x)
        true = Decimal(x).exp()
        assert abs(Decimal(value) - true) < true * Decimal(2) ** -50 and Decimal(bound(x)) < true
        out["exp"].append([x, struct.pack(">d", value).hex()])
    distinct = sorted(set(seen))
    picked = distinct[:3] + distinct[3::max(1, len(distinct) // 97)] + distinct[-1:]
    out["lnUp"] = [[*ratio(odds), ln_up(odds)] for odds in sorted(set(picked))]
    return out


# ---- format.md section 4: hashing and Bloom bits

def murmur3_x64_128(data, seed=0):
    """MurmurHash3 x64 128 (Austin Appleby, public domain): h1 then h2, each as 16 hex digits."""
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F

    def rotl(x, r):
        return ((x << r) | (x >> (64 - r))) & M64

    def mix1(k):
        return rotl(k * c1 & M64, 31) * c2 & M64

    def mix2(k):
        return rotl(k * c2 & M64, 33) * c1 & M64

    def fmix(k):
        k = (k ^ (k >> 33)) * 0xFF51AFD7ED558CCD & M64
        k = (k ^ (k >> 33)) * 0xC4CEB9FE1A85EC53 & M64
        return k ^ (k >> 33)

    h1 = h2 = seed
    whole = len(data) // 16 * 16
    for at in range(0, whole, 16):
        k1, k2 = struct.unpack_from("<QQ", data, at)
        h1 = ((rotl(h1 ^ mix1(k1), 27) + h2) * 5 + 0x52DCE729) & M64
        h2 = ((rotl(h2 ^ mix2(k2), 31) + h1) * 5 + 0x38495AB5) & M64
    tail = data[whole:]
    h1 ^= mix1(int.from_bytes(tail[:8], "little"))  # mix of 0 is 0
    h2 ^= mix2(int.from_bytes(tail[8:], "little"))
    h1, h2 = h1 ^ len(data), h2 ^ len(data)
    h1 = (h1 + h2) & M64
    h2 = (h2 + h1) & M64
    h1, h2 = fmix(h1), fmix(h2)
    h1 = (h1 + h2) & M64
    h2 = (h2 + h1) & M64
    return "%016x%016x" % (h1, h2)


def hashed_bytes(text):
    """Section 4, step 1."""
    data = re.sub("[\ud800-\udfff]", "\ufffd", text).encode("utf-8")
    return b"\0long" if len(data) > 256 else data


def bloom(digits, cohort, k, h):
    """Section 4, steps 2 and 3: the bits in the order of i, equal ones not merged."""
    def mix(x):
        x = (x ^ (x >> 16)) * 0x85EBCA6B & M32
        x = (x ^ (x >> 13)) * 0xC2B2AE35 & M32
        return x ^ (x >> 16)

    w = [int(digits[i:i + 8], 16) for i in (0, 8, 16, 24)]
    x = mix((w[0] ^ w[1]) ^ ((cohort + 1) * 0x9E3779B1 & M32))
    y = mix(((w[2] ^ w[3]) + x) & M32)
    return [((y + i * (x | 1)) & M32) * k >> 32 for i in range(h)]


def make_hashing():
    """hashing.json"""
    for text, known in ((b"", "0" * 32), (b"hello", "cbd8a7b341bd9b025b1e906a48ae1d19"),
                        (b"The quick brown fox jumps over the lazy dog", "e34bbc7bbc071b6c7a433ca9c49a9347")):
        assert murmur3_x64_128(text) == known
    letters = "The quick brown fox jumps over 13 lazy dogs"
    strings = [""] + [letters[:n] for n in range(1, 34)]
    strings += ["hello", "The quick brown fox jumps over the lazy dog", "https://example.org/?q=a&b=c", "caf\u00e9",
                "cafe\u0301", "\u00ff" * 7, "\u00df\u00e6\u00f8\u00e5 na\u00efve", "\u4e2d\u6587",
                "\u65e5\u672c\u8a9e\u306e\u30c6\u30b9\u30c8",
                "\ud55c\uad6d\uc5b4", "\U0001f426", "\U0001f469\u200d\U0001f4bb\U0001f1e8\U0001f1ed",
                "\ud800", "\udc00", "a\ud83dz",
                "\udc26\ud83d", "\ufffd", "\ufeffbom", "\0", "a\0b", "\0long", "a" * 255, "a" * 256, "\u00e9" * 128,
                "\U0001f426" * 64, "a" * 253 + "\ud800", "a" * 257, "\u4e2d" * 86, "a" * 254 + "\udc00", "0123456789" * 10000]
    cases = []
    for text in strings:
        data = hashed_bytes(text)
        digits = murmur3_x64_128(data)
        rows = [{"cohort": c, "bits": k, "hashes": h, "indices": bloom(digits, c, k, h)}
                for c in (0, 1, 7, 127, 65535) for k in (8, 32, 128, 1024) for h in (1, 2, 4)]
        cases.append({"string": text, "utf8": data.hex(), "murmur3_x64_128": digits, "bloom": rows})
    return {"seed": 0, "cases": cases}


# ---- format.md section 3: canonical JSON, the schema document

def number(x):
    """A number as ECMAScript writes it (Number::toString), from the shortest digits of repr."""
    x = float(x)
    if x == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(x)).as_tuple()
    digits = "".join(map(str, digits))
    n = len(digits) + exponent  # the value is 0.digits * 10^n
    digits = digits.rstrip("0")
    k = len(digits)
    if k <= n <= 21:
        text = digits + "0" * (n - k)
    elif 0 < n <= 21:
        text = digits[:n] + "." + digits[n:]
    elif -6 < n <= 0:
        text = "0." + "0" * -n + digits
    else:
        text = digits[0] + ("." + digits[1:] if k > 1 else "") + "e" + ("+" if n > 0 else "-") + str(abs(n - 1))
    return "-" * sign + text


def quote(text):
    """A string as JSON.stringify writes it."""
    short = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
    return '"' + "".join(short.get(c) or ("\\u%04x" % ord(c) if c < " " else c) for c in text) + '"'


def canonical(value):
    """Section 3: RFC 8785."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
        return "{" + ",".join(quote(key) + ":" + canonical(value[key]) for key in keys) + "}"
    return number(value)


def fnv1a64(text):
    """FNV-1a, 64 bits, of the text's UTF-16 code units."""
    h = 0xCBF29CE484222325
    units = text.encode("utf-16-be", "surrogatepass")
    for i in range(0, len(units), 2):
        h = (h ^ units[i] << 8 ^ units[i + 1]) * 0x100000001B3 & M64
    return "%016x" % h


def sha256(text):
    """SHA-256 of the text's UTF-8, lower-case hex."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def make_canonical():
    """canonical.json"""
    assert fnv1a64("") == "cbf29ce484222325" and fnv1a64("foobar") == "85944171f73967e8"
    numbers = [0, -0.0, 1, -1, 4.0, 10, 100.0, 1.5, -0.75, 0.1, 0.1 + 0.2, 1 / 3, 1e-4, 1e-6, 1e-7, 1.5e-7, 1.234e-5, 1e20, 1e21,
               1.25e21, -1e22, 123456789012345680000, 123456.789, 4294967296, 9007199254740991, 9007199254740993, 5e-324,
               2.2250738585072014e-308, 1.7976931348623157e308, 333333333.33333329, 1e23, 0.6931471805599453]
    values = numbers + [
        None, True, False, "", [], {}, [[]], [{}], {"": ""}, numbers, "plain", "caf\u00e9 \u4e2d\u6587 \U0001f426 \ufb01",
        "".join(map(chr, range(0x20))), "\"quoted\" \\ / \x7f \x80 \u2028 \u2029 \ufeff",
        {"b": 1, "a": 2, "B": 3, "A": 4, "_": 5}, {"10": 1, "9": 2, "1": 3, "-1": 4, "01": 5},
        {"\ufb01": "ligature", "\U0001f600": "astral", "\u20ac": "euro", "\r": "return", "1": "one", "\u0080": "control",
         "\u00f6": "o umlaut", "\uffff": "last", "\ud7ff": "before surrogates", "\ue000": "after surrogates"},
        {"a\U0001f600": 1, "a\ufb01": 2, "a": 3, "ab": 4, "a\0": 5}, {"__proto__": 1, "constructor": 2, "a": {"__proto__": []}},
        {"z": {"y": {"x": [3, 2, 1, {"w": None, "v": [True, False]}]}}, "a": [{"d": 4, "c": 3}, [], "b"]}]
    return [{"value": v, "canonical": c, "fnv1a64": fnv1a64(c), "sha256": sha256(c)} for v in values for c in [canonical(v)]]


def metric(devices, kind, epsilon, _description, every="month", permanent=None, renew="year", owner=None, expires=None, publish=None,
           law=None, **more):
    """Section 3: one metric with its law (that of sections 5.3 and 5.4, or a named one); what people say of it stands in `about`."""
    out = {"type": kind, "epsilon": epsilon, "every": every, **more}
    if permanent:
        out["permanent"] = {"epsilon": permanent, "renew": renew}
    if law:
        out["law"] = law[0]
    elif kind == "text":
        out["law"] = rappor_permanent(epsilon, permanent, devices)[0] if permanent else rappor(epsilon, devices)[0]
    else:
        sizes = {"flag": [2], "choice": [len(more.get("answers", []))]}
        d = math.prod(sizes.get(kind) or [len(question["answers"]) for question in more["questions"]])
        out["law"] = choose_permanent(d, epsilon, permanent) if permanent else choose(d, epsilon)
    return out


def about(_kind, _epsilon, description, owner=None, expires=None, publish=None, **_more):
    """Section 3: what people say of a metric."""
    out = {"description": description, "owner": owner, "expires": expires, "publish": publish}
    return {key: value for key, value in out.items() if value is not None}


def public_parts(law):
    """Section 2: the number of values of what a device draws uniformly, whatever the answer, and keeps for an epoch."""
    kind = law["mechanism"]
    if kind in ("rappor", "string-hashing"):
        return law["cohorts"]
    if kind == "local-hashing":
        return family(law["size"], law["buckets"])[1]
    if kind == "count-mean-sketch":
        return cohorts_of(law["size"], law["bits"])[1]
    return law["size"] if kind == "d-bit-flip" and law["bits"] < law["size"] else 1


def lasting_parts(document):
    """Section 2: the public parts of permanent metrics."""
    return {name: public_parts(each["law"]) for name, each in document["metrics"].items() if "permanent" in each}


def schema(app, version, budget, devices, metrics, segments=None, assign=None, reports=None):
    """Section 3: a schema document; metrics are given by their arguments."""
    out = {"about": {name: about(*args, **more) for name, (args, more) in metrics.items()},
           "app": app, "budget": dict(zip(("epsilon", "per"), budget)), "chooser": 1, "devices": devices, "format": 1,
           "metrics": {name: metric(devices, *args, **more) for name, (args, more) in metrics.items()}, "version": version}
    out["reports"] = reports or ("alone" if assign or any(n > 1 for n in lasting_parts(out).values()) else "together")
    return {**out, **({"segments": segments} if segments else {}), **({"assign": assign} if assign else {})}


def checksum(document):
    """Section 3: FNV-1a without what may be mended."""
    return fnv1a64(canonical({key: value for key, value in document.items() if key != "about"}))


def wire(document):
    """Section 3: a schema's name on the wire."""
    return "%s/%d/%s" % (document["app"], document["version"], checksum(document))


def m(*args, **more):
    """A metric's arguments."""
    return args, more


def notes():
    """The schema of batch-v1.json: every law and every length of report. Never change it."""
    return schema("notes", 1, (40, "month"), 20000, {
        "dark": m("flag", 1, "Whether the dark theme is on."),
        "plan": m("choice", 3, "Which plan the account has.", answers=["free", "team", "enterprise"]),
        "language": m("choice", 1, "The language of the interface.", other=True,
                      answers=["de", "en", "es", "fr", "it", "ja", "pt", "rm", "zh", "other"]),
        "hour": m("choice", 1, "The hour of most use.", answers=["h%02d" % h for h in range(24)]),
        "setup": m("joint", 6, "Screen, system and sync together.", questions=[
            {"name": "screen", "answers": ["w%d" % n for n in range(1, 16)]},
            {"name": "system", "answers": ["s%d" % n for n in range(1, 11)]},
            {"name": "sync", "answers": [False, True]}]),
        "search": m("text", 1, "What is searched for."),
        "term": m("text", 6, "A word of the index.", every="once"),
        "rare": m("text", 0.05, "A word of the glossary."),
        "kept-flag": m("flag", 1, "Whether sharing is on.", permanent=2),
        "kept-plan": m("choice", 1, "The kind of editor.", permanent=4, answers=["plain", "rich", "code", "outline"]),
        "kept-text": m("text", 1, "The home page.", permanent=4),
    }, {"platform": ["web", "ios", "android"], "channel": ["stable", "beta"]})


def make_schemas():
    """schemas.json"""
    documents = [notes()]
    documents.append(schema("lamp", 1, (1, "year"), 1000, {"on": m("flag", 0.5, "On?", every="once")}))
    documents.append(schema("oiseau", 12, (20, "week"), 3000000, {
        "vu": m("choice", 0.6931471805599453, "L\u2019oiseau aper\u00e7u \U0001f426 (\u9ce5)",
                every="week", owner="\u00c9quipe mar\u00e9e", expires="2027-06-30",
                answers=["m\u00e9sange", "\u9db4", "\U0001f989", "\ufb01nch", "autre"], other=True),
        "owner": m("flag", 2, "A metric whose name is a key's.", every="week", expires="2027-01-01"),
        "description": m("choice", 3.7, "Another such name: \"quoted\" \\ and a\nnew line.", every="week", answers=["x", "y"]),
    }, {"r\u00e9gion": ["c\u00f4te", "\u5c71"]}))
    documents.append(schema("keep", 3, (60, "month"), 250000, {
        "always": m("flag", 0.5, "Equal epsilons.", permanent=0.5, renew="never"),
        "week": m("choice", 1, "Renewed weekly.", every="week", permanent=2, renew="week", answers=["a", "b", "c"], other=True),
        "month": m("text", 2, "Renewed monthly.", permanent=3.7, renew="month", owner="web"),
        "once": m("joint", 1.0986122886681098, "Two questions.", every="once", questions=[
            {"name": "kind", "answers": ["a", "b", "c"]}, {"name": "on", "answers": [True, False]}]),
    }))
    documents.append(schema("wide", 2, (9, "day"), 1000000000, {
        "many": m("choice", 4, "A thousand answers.", every="day", answers=["item %d" % n for n in range(1000)]),
        "word": m("text", 2, "Many cohorts.", every="day")}))
    documents.append(schema("feeder", 4, (8, "month"), 50000, {
        "filled": m("flag", 1, "Was it filled?", every="week", otherwise=False),
        "seed": m("choice", 2, "Which seed?", otherwise="none", answers=["none", "millet", "sunflower"]),
        "scene": m("joint", 2, "Who came, and when?", otherwise={"bird": "none", "early": False}, questions=[
            {"name": "bird", "answers": ["none", "tit", "finch"]}, {"name": "early", "answers": [False, True]}]),
        "name": m("text", 2, "What it is called.", otherwise=""),
    }, assign="random"))
    documents.append(schema("feeder", 5, (8, "month"), 50000, {
        "filled": m("flag", 1, "Was it filled?"), "seed": m("flag", 8, "Is there any?")}, assign="random", reports="together"))
    countries = ["country %d" % n for n in range(249)]

    def kept(law, **more):
        """A permanent list with a law that the app names."""
        return m("choice", 1, "Which country?", every="day", permanent=4, answers=countries, law=law, **more)

    documents.append(schema("parts", 1, (40, "month"), 5000, {
        "hashed": kept(local_hashing(249, 1, 4)), "own": kept(local_hashing(249, 1, 4, 249)),
        "bits": kept(d_bit_flip(249, 4, 1, 4)), "all": kept(d_bit_flip(249, 249, 1, 4)),
        "sketch": kept(count_mean_sketch(249, 1, 53, 4)), "wide": kept(count_mean_sketch(249, 1, 249, 4)),
        "symmetric": kept(unary(249, 1, 4, True)),
        "string": m("text", 1, "Home page", every="day", permanent=4, law=string_hashing(1, 5000, 4))}))
    documents.append(schema("parts", 2, (9, "month"), 5000, {"own": kept(local_hashing(249, 1, 4, 249))}))
    documents.append(schema("parts", 3, (9, "month"), 5000, {"bits": kept(d_bit_flip(249, 248, 1, 4))}))
    for said in ({}, {"publish": True}):
        documents.append(schema("lantern", 1, (1, "month"), 1000, {"lit": m("flag", 1, "Is it lit?", **said)}))
    return [{"document": d, "canonical": canonical(d), "checksum": checksum(d), "fingerprint": sha256(canonical(d)),
             "wire": wire(d), "publicParts": lasting_parts(d)} for d in documents]


# ---- format.md sections 1 and 2: the batch and reports

TODAY = "2026-11-20"
SEGMENT = {"platform": "web", "channel": "stable"}


def url64(data):
    """Section 2: base64url without padding."""
    return base64.urlsafe_b64encode(bytes(data)).decode().rstrip("=")


def whole(n, below):
    """n, big-endian, in the fewest whole bytes that hold below - 1."""
    return n.to_bytes(((below - 1).bit_length() + 7) // 8, "big")


def bits(size, ones):
    """Section 2: bit i in byte i >> 3 at mask 1 << (i & 7)."""
    out = bytearray((size + 7) // 8)
    for i in ones:
        out[i >> 3] |= 1 << (i & 7)
    return bytes(out)


def report(law, cells, cohort=0):
    """Section 2: a report's bytes."""
    if law["mechanism"] == "k-ary":
        return whole(cells[0], law["size"])
    if law["mechanism"] in ("subset", "unary"):
        return bits(law["size"], cells)
    return whole(cohort, law["cohorts"]) + bits(law["bits"], cells)


def compact(value):
    """JSON in the order of its keys, as a device would send it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def body_of(document, note, reports, **changes):
    """Section 1: a batch; a change to None takes its key out."""
    out = {"v": 1, "schema": wire(document), "day": TODAY, "batch": sha256(note)[:32], "segment": SEGMENT,
           "reports": reports, **changes}
    return {key: value for key, value in out.items() if value is not None}


def accepted_batches(document):
    """Bodies that are accepted for ever."""
    laws = {name: entry["law"] for name, entry in document["metrics"].items()}
    out = []

    def ok(note, reports, write=compact, **changes):
        """reports: [metric, cells, cohort?]"""
        rows = [[name, url64(report(laws[name], *rest))] for name, *rest in reports]
        said = [{"metric": name, "cohort": (rest + [0])[1], "cells": rest[0]} for name, *rest in reports]
        body = write(body_of(document, note, rows, **changes))
        assert len(body.encode("utf-8")) <= 65536
        out.append({"note": note, "body": body, "reports": said})

    def spaced(batch):
        return "\r\n\t " + json.dumps(batch, indent="\t").replace(":", "\r\n :") + " \n"

    one = [["dark", [1]]]
    ok("one report of a flag", one)
    ok("both answers of a flag, more than once", [["dark", [0]], ["dark", [1]], ["dark", [1]]])
    ok("every answer of a k-ary choice", [["plan", [i]] for i in range(3)])
    size, take = laws["language"]["size"], laws["language"]["subset"]
    ok("subsets with padding bits", [["language", list(range(i, i + take))] for i in range(size - take + 1)])
    hours = laws["hour"]["subset"]
    ok("subsets without padding bits", [["hour", list(range(s, s + hours))] for s in (0, 9, 24 - hours)])
    ok("k-ary in two bytes", [["setup", [i]] for i in (0, 1, 255, 256, 299)])
    ok("rappor, a cohort of one byte",
       [["search", [5, 64, 127], 0], ["search", [0], 1], ["search", [7, 8], laws["search"]["cohorts"] - 1]])
    ok("rappor, a cohort of two bytes", [["term", [1, 2, 3], c] for c in (0, 1, 255, 256, laws["term"]["cohorts"] - 1)])
    ok("rappor, one cohort, no bits and all bits and - and _ in the text",
       [["rare", []], ["rare", list(range(128))], ["rare", [0, 1, 3, 4, 5, 6, 7, *range(8, 24)]]])
    ok("permanent metrics", [["kept-flag", [1]], ["kept-plan", [3]], ["kept-text", [0, 126], 9]])
    everything = [["dark", [0]], ["plan", [2]], ["language", list(range(take))], ["hour", list(range(hours))],
                  ["setup", [42]], ["search", [31, 32], 3], ["term", [100], 77], ["rare", [9]], ["kept-flag", [0]],
                  ["kept-plan", [0]], ["kept-text", [], 0]]
    ok("every metric", everything)
    ok("keys in another order", everything, lambda b: compact(dict(reversed(list(b.items())))),
       segment=dict(reversed(list(SEGMENT.items()))))
    ok("white space", everything, spaced)
    ok("escaped characters", one,
       lambda b: compact(b).replace('"dark"', '"d\\u0061rk"').replace('"v"', '"\\u0076"').replace("/", "\\/"))
    ok("the first day", one, day="2026-11-06")
    ok("the last day", one, day="2026-11-21")
    ok("other segments", one, segment={"platform": "android", "channel": "beta"})
    ok("1000 reports", [["dark", [i % 2]] for i in range(1000)])
    ok("65536 bytes", one, lambda b: compact(b).ljust(65536))
    return out


def refused_batches(document):
    """Bodies that are refused, first in the order of the checks."""
    laws = {name: entry["law"] for name, entry in document["metrics"].items()}
    status = {"malformed": 400, "future-day": 400, "unknown-metric": 400, "bad-segment": 400, "bad-report": 400,
              "unknown-schema": 404, "stale-day": 410, "too-large": 413}
    good = ["dark", "AQ"]
    out = []

    def no(error, note, write=compact, reports=(good,), **changes):
        body = write(body_of(document, note, list(reports), **changes))
        out.append({"note": note, "body": body, "status": status[error], "error": error})

    def text(error, note, body):
        no(error, note, lambda b: body)

    def edit(error, note, old, new, **changes):
        assert old in compact(body_of(document, note, [good], **changes))
        no(error, note, lambda b: compact(b).replace(old, new, 1), **changes)

    no("too-large", "65537 bytes", lambda b: compact(b).ljust(65537))
    no("too-large", "65537 bytes that are not JSON", lambda b: "[" + "x" * 65536)
    no("too-large", "fewer characters than 65536, more bytes", lambda b: compact({**b, "pad": "\u20ac" * 600}).ljust(65200))
    no("too-large", "too large before anything else", lambda b: compact(b).ljust(65537),
       schema="x/1/0000000000000000", day="2020-01-01")

    for note, body in (("empty", ""), ("white space only", " \n"), ("null", "null"), ("a number", "1"), ("a string", '"v"'),
                       ("an empty array", "[]"), ("an empty object", "{}"), ("not JSON", "v=1&day=" + TODAY)):
        text("malformed", note, body)
    no("malformed", "cut off", lambda b: compact(b)[:-1])
    no("malformed", "text after the end", lambda b: compact(b) + "x")
    no("malformed", "two batches", lambda b: compact(b) + compact(b))
    no("malformed", "in an array", lambda b: compact([b]))
    edit("malformed", "trailing comma", "]]}", "]],}")
    edit("malformed", "single quotes", '"v"', "'v'")
    edit("malformed", "a comment", "{", "{/**/")
    edit("malformed", "a control character in a string", '"dark"', '"da\trk"')
    no("malformed", "unknown key", extra=1)
    edit("malformed", "unknown key __proto__", '"v":1', '"v":1,"__proto__":{}')
    edit("malformed", "a key in capitals", '"v"', '"V"')
    for key in ("v", "schema", "day", "batch", "reports"):
        no("malformed", "without " + key, lambda b: compact({k: v for k, v in b.items() if k != key}))
        no("malformed", key + " null", lambda b: compact({**b, key: None}))
    for key, value in (("v", 2), ("v", 0), ("v", "1"), ("v", True), ("v", [1]), ("schema", 1), ("schema", ["notes"]),
                       ("day", 20261120), ("day", {}), ("batch", 1), ("segment", "web"), ("segment", ["web"]), ("segment", 0),
                       ("segment", {"platform": 1, "channel": "beta"}), ("segment", {"platform": ["web"], "channel": "beta"}),
                       ("reports", "AQ"), ("reports", {}), ("reports", []), ("reports", [[]]), ("reports", [["dark"]]),
                       ("reports", [["dark", "AQ", "AQ"]]), ("reports", ["dark", "AQ"]), ("reports", [{"dark": "AQ"}]),
                       ("reports", [["dark", 1]]), ("reports", [[1, "AQ"]]),
                       ("reports", [["dark", None]]), ("reports", [good, None])):
        no("malformed", "%s: %s" % (key, compact(value)), lambda b: compact({**b, key: value}))
    no("malformed", "segment null", lambda b: compact({**b, "segment": None}))
    no("malformed", "1001 reports", reports=[good] * 1001)
    for day in ("2026-02-30", "2026-02-29", "2026-13-01", "2026-00-10", "2026-11-00", "2026-11-31", "2026-11-2", "26-11-20",
                "20261120", "2026/11/20", "2026-11-20T00:00:00Z", " 2026-11-20", "2026-11-20\n", "", "today", "+2026-11-20",
                "\u0662\u0660\u0662\u0666-\u0661\u0661-\u0662\u0660"):
        no("malformed", "day " + compact(day), day=day)
    full = "0123456789abcdef" * 2
    for batch in (full.upper(), full[:-1] + "F", full[1:], full + "0", "", "g" + full[1:], " " + full[1:], full + "\n",
                  "01234567-89ab-cdef-0123-456789abcdef", "\uff10" + full[1:]):
        no("malformed", "batch " + compact(batch), batch=batch)
    no("malformed", "form before schema, day and metric", reports=[["x", "AQ"], ["dark"]],
       schema="x/1/0000000000000000", day="2020-01-01")

    sum16 = checksum(document)
    for name in ("other/1/" + sum16, "notes/2/" + sum16, "notes/1/0000000000000000", "notes/1/" + sum16[::-1],
                 "__proto__/1/" + sum16):
        no("unknown-schema", "schema " + name.replace(sum16, "(checksum)"), schema=name)
    no("unknown-schema", "schema before day", schema="other/1/" + sum16, day="2020-01-01")
    for error, days in (("stale-day", ("2026-11-05", "2026-10-20", "2025-11-20", "2024-02-29")),
                        ("future-day", ("2026-11-22", "2026-12-20", "2027-11-20", "9999-12-31"))):
        for day in days:
            no(error, "day " + day, day=day)
    no("stale-day", "stale day before segment", day="2026-11-05", segment=None)
    no("future-day", "future day before segment", day="2026-11-22", segment={"x": "y"})

    for segment in (None, {"platform": "web"}, {"channel": "beta"}, {**SEGMENT, "colour": "red"},
                    {**SEGMENT, "platform": "amiga"}, {**SEGMENT, "channel": ""},
                    {**SEGMENT, "platform": "Web"}, {**SEGMENT, "__proto__": "web"},
                    {"platform": "stable", "channel": "web"}, {**SEGMENT, "platform": "constructor"}, {}):
        no("bad-segment", "segment " + compact(segment), segment=segment)
    no("bad-segment", "segment before metric and report", segment=None, reports=[["x", "AQ"], ["dark", "!"]])

    for name in ("x", "", "Dark", "dark ", "__proto__", "constructor", "toString", "d\u00e4rk"):
        no("unknown-metric", "metric " + compact(name), reports=[good, [name, "AQ"]])
    no("unknown-metric", "first an unknown metric, then a bad report", reports=[["x", "AQ"], ["dark", "!"]])
    no("bad-report", "first a bad report, then an unknown metric", reports=[["dark", "!"], ["x", "AQ"]])

    def bad(note, name, value):
        no("bad-report", note, reports=[good, [name, value if isinstance(value, str) else url64(value)]])

    for value in ("", "A", "AQ==", "AQ=", "AB", "AR", "AQA", "AQAA", "A+", "A/", " AQ", "AQ\n", "A Q",
                  "A\u0416", "\uff21Q", "0x01", "A\0"):
        bad("flag " + compact(value), "dark", value)
    for name in ("dark", "plan", "setup", "kept-flag", "kept-plan"):
        over = laws[name]["size"]
        bad("%s: index %d" % (name, over), name, over.to_bytes(len(whole(0, over)), "big"))
    bad("setup: the largest index of two bytes", "setup", b"\xff\xff")
    bad("setup: one byte", "setup", b"\x01")
    bad("setup: three bytes", "setup", b"\0\0\x01")
    size, take = laws["language"]["size"], laws["language"]["subset"]
    for count in (0, 1, take - 1, take + 1, size):
        bad("language: %d ones" % count, "language", bits(size, range(count)))
    bad("language: a padding bit more", "language", bits(16, [*range(take), 10]))
    bad("language: a padding bit for a one", "language", bits(16, [*range(take - 1), 15]))
    bad("language: one byte", "language", bits(8, range(take)))
    bad("language: three bytes", "language", bits(24, range(take)))
    exact = url64(bits(size, range(take)))
    bad("language: trailing bits", "language", exact[:-1] + chr(ord(exact[-1]) + 1))
    bad("hour: a one missing", "hour", bits(24, range(1, laws["hour"]["subset"])))
    for name in ("search", "term", "kept-text"):
        over = laws[name]["cohorts"]
        for cohort in (over, over + 1, 256 ** len(whole(0, over)) - 1):
            bad("%s: cohort %d" % (name, cohort), name, cohort.to_bytes(len(whole(0, over)), "big") + bits(128, [1]))
        bad(name + ": without its cohort", name, bits(128, [1]))
        bad(name + ": a byte more", name, report(laws[name], [1]) + b"\0")
    bad("rare: with a cohort", "rare", b"\0" + bits(128, [1]))
    bad("rare: too few bits", "rare", bits(120, [1]))
    filled = base64.b64encode(bits(128, [0, 1, 3, 4, 5, 6, 7, *range(8, 24)])).decode()
    assert "+" in filled and "/" in filled and filled.endswith("==")
    bad("rare: + and / for - and _", "rare", filled.rstrip("="))
    bad("rare: padding characters", "rare", filled.replace("+", "-").replace("/", "_"))
    bad("rare: trailing bits", "rare", url64(bits(128, [1]))[:-1] + "B")
    return out


def make_batch():
    """batch-v1.json"""
    document = notes()
    mechanisms = {name: entry["law"]["mechanism"] for name, entry in document["metrics"].items()}
    assert mechanisms["language"] == mechanisms["hour"] == "subset" and mechanisms["setup"] == mechanisms["plan"] == "k-ary"
    out = {"today": TODAY, "document": document, "accepted": accepted_batches(document), "refused": refused_batches(document)}
    bodies = [row["body"] for row in out["accepted"] + out["refused"]]
    assert len(set(bodies)) == len(bodies)
    return out


# ---- format.md sections 5.6, 5.7, 5.12 to 5.15 and 5.24: numbers

def piecewise(g, L, epsilon):
    """Section 5.5: (law, exact odds)."""
    law, odds = subset(g + L, L, epsilon)
    assert odds == Fraction(law["include"] * g, (TI - law["include"]) * L)
    return {"mechanism": "piecewise", "grid": g, "window": L, "inside": law["include"]}, odds


def worst_variance(g, L, E):
    """Section 5.6: W."""
    p, K = (E * L) / (E * L + g), g + L
    a = p - ((1 - p) * L) / g
    s = (p * (L * L - 1) + (1 - p) * ((K * K * K - K - L * L * L + L) / g)) / 12
    m = (g - 1) / 2
    v = min(m + 0.5, m / a)
    z = m * m + 0.25 + 2 * m * (v - m)
    return (s / (a * a) + z / a - v * v) / (g * g)


def hybrid(g, L, epsilon):
    """Section 5.14: (law, exact odds)."""
    law, odds = piecewise(g, L, epsilon)
    truth, ends = piecewise(1, 1, epsilon)
    p = law["inside"] / T
    mix = math.floor(T * (p - ((1 - p) * L) / g))
    return {**law, "mechanism": "hybrid", "mix": mix, "truth": truth["inside"]}, max(odds, ends)


def hybrid_variance(g, L, E):
    """Section 5.14: H."""
    p, K = (E * L) / (E * L + g), g + L
    a = p - ((1 - p) * L) / g
    s = (p * (L * L - 1) + (1 - p) * ((K * K * K - K - L * L * L + L) / g)) / 12
    b = (E + 1) / (2 * (E - 1))
    return (s / a + 0.25) / (g * g) + (1 - a) * b * b


def least_pair(of, fewest=1):
    """The first pair of the least value, and the value."""
    least, best = math.inf, None
    for g in range(fewest, 65):
        for L in range(1, g + 1):
            W = of(g, L)
            if W < least:
                least, best = W, (g, L)
    return least, best


SMALL = (
    (2, 2, (-5, 10), (5, 10)),
    (3, 3, (-5, 10), (1, 10), (9, 10)),
    (4, 3, (-6, 12), (3, 9), (15, 3)),
    (10, 6, (1, 0), (2, 1), (-19, 24), (-15, 22), (-7, 16), (2, 9), (9, 4), (13, 2)),
)


def scored_shape(L, y):
    """Section 5.24: scores from 0 to 2^16."""
    return len(y) - L, L, [min(65536, max(0, math.floor((65536 * (value - y[0])) / (y[-1] - y[0]) + 0.5))) for value in y]


def mean_shapes(epsilon, E):
    """Section 5.24: the shapes that are tried for a mean."""
    D, shapes = (E + 1) / (E - 1), []

    def around(g, L, of):
        upper = [of(h) for h in range(2 if (g + L) % 2 else 1, g + L, 2)]
        return scored_shape(L, [-y for y in reversed(upper)] + [0.0] * ((g + L) % 2) + upper)

    for g, L, *lines in SMALL:
        shapes.append(around(g, L, lambda h: lines[(h - 1) // 2][0] + lines[(h - 1) // 2][1] * D))
    near = math.floor((1.35 * 64) / exp(epsilon / 3) + 0.5)
    for L in range(max(1, near - 1), near + 2):
        for eighths in range(12, 20):
            def sine(h):
                u = (eighths / 8 * h * h) / (epsilon * (64 + L) * (64 + L))
                return h * (1 - u + 0.3 * u * u)
            shapes.append(around(64, L, sine))
    return shapes


def scored_variance(shape, E, parts):
    """Section 5.24: W."""
    g, L, scores = shape
    s = [score - 32768 for score in scores]
    X = sum(s[i + L] - s[i] for i in range(g))
    unit = (E * L + g) / ((E - 1) * X) / ((E - 1) * X) if X else math.inf
    square, W, k, start = 0.0, 0.0, 0, 0
    for j in range(g + L):
        square += s[j] * s[j] * (E if j < L else 1)
    for i in range(g):
        step = s[i + L] - s[i]
        if step <= 0:
            return math.inf
        rise = (E - 1) * (s[i + L] + s[i])
        while 2 * k <= parts and (k * X) / parts <= start + step:
            x = k / parts
            W = max(W, unit * (square + rise * (x * X - start)) - (x - 0.5) * (x - 0.5))
            k += 1
        square += rise * step
        start += step
    return W


def fitted(N, L, gap, E):
    """Section 5.24: the shape of a count on its own points."""
    more = 1 if L > gap else 0
    K = N * gap + 2 * more + L
    starts = [k * gap + (more if k > 0 else 0) + (more if k == N else 0) for k in range(N + 1)]
    rows = [[E if start <= j < start + L else 1 for j in range(K)] for start in starts]

    def total(values):
        out = 0
        for value in values:
            out += value
        return out

    sums = [total(row[j] for row in rows) for j in range(K)]
    M = [[total((a[j] * b[j]) / sums[j] for j in range(K)) for b in rows] + [x] for x, a in enumerate(rows)]
    for k in range(N + 1):
        M = [row if x == k else [value - (row[k] / M[k][k]) * M[k][z] for z, value in enumerate(row)] for x, row in enumerate(M)]
    solved = [row[N + 1] / row[x] for x, row in enumerate(M)]
    return scored_shape(L, [total(solved[k] * rows[k][j] for k in range(N + 1)) / sums[j] for j in range(K)])


def best_scored(shapes, epsilon, E, parts):
    """Section 5.24: (law, exact odds)."""
    least, best = math.inf, shapes[0]
    for shape in shapes:
        W = scored_variance(shape, E, parts)
        if W < 0.999 * least:
            least, best = W, shape
    g, L, scores = best
    law, odds = piecewise(g, L, epsilon)
    return {**law, "mechanism": "scored", "scores": scores}, odds


def choose_mean(epsilon):
    """Section 5.24, chooser 1: the law of a mean."""
    E = exp(epsilon)
    return best_scored(mean_shapes(epsilon, E), epsilon, E, 256)


def choose_count(epsilon, N):
    """Section 5.24, chooser 1: the law of a count of 0 to N."""
    E = exp(epsilon)
    gaps = [gap for gap in range(1, 7) if N * gap <= 72]
    own = [fitted(N, L, gap, E) for gap in gaps for L in range(gap + 1 if gap > 1 else 1, 2 * gap + 3)]
    return best_scored(own + mean_shapes(epsilon, E), epsilon, E, min(N, 256))


def name_mean(mechanism, epsilon):
    """What the named mechanisms of a mean derive."""
    E = exp(epsilon)
    if mechanism == "hybrid":
        return hybrid(*least_pair(lambda g, L: hybrid_variance(g, L, E))[1], epsilon)
    if mechanism == "piecewise":
        return piecewise(*least_pair(lambda g, L: worst_variance(g, L, E), 2)[1], epsilon)
    law, odds = geometric(64, epsilon)
    return {**law, "mechanism": "laplace"}, odds


def geometric(N, epsilon):
    """Section 5.6: (law, exact odds)."""
    E, e, t = bound(epsilon), exp(epsilon / N), []
    c = e + 1
    for _ in range(N):
        t.append(math.floor(T / c + 0.5))
        c = c * e
    while TI - t[0] > E * t[-1]:
        t[-1] += 1
    d = [TI - 2 * t[0]] + [t[i] - t[i + 1] for i in range(N - 1)]
    if t[-1] < 1 or min(d) < 1 or (N > 1 and max(d) > E * min(d)):
        raise Refused
    hold((TI - t[0]) / t[-1], epsilon)
    odds = Fraction(TI - t[0], t[-1])
    if N > 1:
        odds = max(odds, Fraction(max(d), min(d)))
    certify(odds, epsilon)
    return {"mechanism": "geometric", "tails": t}, odds


def square_wave(cells, epsilon, window=None):
    """Section 5.12: (law, exact odds)."""
    e = exp(epsilon)
    b = 0.5 if epsilon < 2.0 ** -10 else ((epsilon - 1) * e + 1) / (2 * e * (e - 1 - epsilon))
    law, odds = piecewise(cells - 1, window or 2 * math.floor(b * cells) + 1, epsilon)
    return {**law, "mechanism": "square-wave"}, odds


def hierarchical(cells, epsilon, branching=None):
    """Section 5.13: (law, exact odds)."""
    def height(B):
        return next(h for h in range(1, 10) if B ** h >= cells)

    def within(n):
        return (n * n - 1) * (2 * cells + 2 - n)

    def range_variance(B):
        h, total, left, parent = height(B), 0.0, within(cells), cells
        for l in range(h):
            w = B ** (h - 1 - l)
            k = -(-cells // w)
            last = cells - (k - 1) * w
            U = (k - 1) * within(w) + within(last)
            own, parts = left - U, [min(1, e / last) - e / parent for e in range(1, parent)]
            edge = 12 * cells * ((cells + 1) * sum(t * t for t in parts) - sum(parts) * sum(parts))
            lacks = k - cells / w
            m, V = choose_subset(k, epsilon)
            p, q = set_supports(k, m or 1, epsilon)
            others = (q * (1 - q) * (k - 1) - p * (1 - p) / (k - 1)) / (max(1, k - 2) * (p - q) * (p - q))
            even = V * (k * k * own + edge * lacks * lacks) / (k - 1)
            total += h * (even + others * lacks * (edge * (1 - 2 * lacks / k) - own) + own) - own
            left, parent = U, last
        return total

    if not branching:
        variances = {B: range_variance(B) for B in range(2, cells + 1)}
        most = 1.1 * min(variances.values())
        branching = next(B for B, variance in variances.items() if variance <= most)
    B = branching
    levels = [choose(-(-cells // B ** (height(B) - 1 - l)), epsilon) for l in range(height(B))]
    odds = [Fraction(l["truth"] * (l["size"] - 1), TI - l["truth"]) if "truth" in l else
            Fraction(l["include"] * (l["size"] - l["subset"]), (TI - l["include"]) * l["subset"]) for l in levels]
    return {"mechanism": "hierarchical", "size": cells, "branching": B, "levels": levels}, max(odds)


def choose_distribution(cells, epsilon):
    """Section 5.13, chooser 1: (law, exact odds)."""
    law, odds = hierarchical(cells, epsilon)
    return square_wave(cells, epsilon, 1) if [l["mechanism"] for l in law["levels"]] == ["k-ary"] else (law, odds)


def make_numbers():
    """numbers.json"""
    out = {"piecewise": [], "mean": [], "count": [], "geometric": [], "squareWave": [], "hierarchical": [], "distribution": [], "hybrid": [], "named": [], "refused": []}

    def add(table, made, **given):
        try:
            law, odds = made()
        except Refused:
            out["refused"].append({"table": table, **given})
            return
        out[table].append({**given, "law": law, "odds": ratio(odds)})

    for e in EPSILONS:
        for g, L in ((1, 1), (1, 2), (2, 1), (3, 2), (9, 3), (41, 7), (64, 14), (300, 40)):
            add("piecewise", lambda: piecewise(g, L, e), grid=g, window=L, epsilon=e)
            add("hybrid", lambda: hybrid(g, L, e), grid=g, window=L, epsilon=e)
        for N in (1, 2, 3, 7, 20, 64, 65, 1000):
            add("count", lambda: choose_count(e, N), max=N, epsilon=e)
        for N in (1, 2, 3, 7, 20, 100, 256):
            add("geometric", lambda: geometric(N, e), max=N, epsilon=e)
        for cells in (2, 3, 5, 16, 64, 100, 256):
            add("squareWave", lambda: square_wave(cells, e), cells=cells, epsilon=e)
            add("hierarchical", lambda: hierarchical(cells, e), cells=cells, epsilon=e)
        add("hierarchical", lambda: hierarchical(64, e, 8), cells=64, branching=8, epsilon=e)
    for e in sorted({*EPSILONS, *(i / 4 for i in range(1, 41))}):
        for cells in (2, 3, 4, 5, 8, 10, 16, 17, 32, 50, 64, 81, 100, 128, 200, 256):
            add("distribution", lambda: choose_distribution(cells, e), cells=cells, epsilon=e)
    for e in (1.5, 3, 5, 6):
        for N in (4, 5, 12, 72, 73, 257):
            add("count", lambda: choose_count(e, N), max=N, epsilon=e)
    for e in sorted({*EPSILONS, *(i / 10 for i in range(1, 100, 2))}):
        add("mean", lambda: choose_mean(e), epsilon=e)
    for e in [*EPSILONS, 0.3, 1.5, 2.4, 3, 6, 10]:
        for name in ("hybrid", "piecewise", "laplace"):
            add("named", lambda: name_mean(name, e), mechanism=name, epsilon=e)
    for e in (1e-11, 30):
        add("mean", lambda: choose_mean(e), epsilon=e)
        add("geometric", lambda: geometric(5, e), max=5, epsilon=e)
        add("squareWave", lambda: square_wave(64, e), cells=64, epsilon=e)
        add("hierarchical", lambda: hierarchical(64, e), cells=64, epsilon=e)
        add("distribution", lambda: choose_distribution(64, e), cells=64, epsilon=e)
    return out


# ---- format.md section 5.8: sets

def privset(d, L, m, epsilon):
    """Section 5.8: (law, exact odds)."""
    N = d + L
    miss, every = math.prod(range(N - m - L + 1, N - m + 1)), math.prod(range(N - L + 1, N + 1))
    meet, E = every - miss, math.floor(bound(epsilon) * 2.0 ** 40)
    hit = E * TI * meet // (2 ** 40 * miss + E * meet)
    if hit < 1 or hit >= TI:
        raise Refused
    odds = Fraction(hit * miss, (TI - hit) * meet)
    hold(float(odds), epsilon)
    certify(odds, epsilon)
    return {"mechanism": "privset", "size": d, "atMost": L, "subset": m, "hit": hit}, odds


def choose_set(d, L, epsilon):
    """Section 5.8, chooser 1: the law of sets of at most L of d answers."""
    E, N, w, V = exp(epsilon), d + L, 1.0, []
    for m in range(1, d + 1):
        w = (w * (d - m + 1)) / (N - m + 1)
        z = E * (1 - w) + w
        p, q = (E * (m / N)) / z, (E * (m / N - (w * m) / d) + (w * m) / d) / z
        V.append((q * (1 - q)) / ((p - q) * (p - q)) + (L * (1 - p - q)) / (d * (p - q)) if p > q else math.inf)
    m = 1 if V[0] <= 1.03 * min(V) else V.index(min(V)) + 1
    return privset(d, L, m, epsilon)


# ---- format.md section 5.9: the exponential mechanism

def exponential(u, epsilon):
    """Section 5.9: (law, exact odds)."""
    E = bound(epsilon)

    def weights(s):
        rows = []
        for row in u:
            x, total = [], 0.0
            for score in row:
                if s * (score - min(row)) > 64:
                    return None
                x.append(exp(s * (score - min(row))))
                total = total + x[-1]
            w = [math.floor(T * (each / total)) for each in x]
            w[row.index(max(row))] += TI - sum(w)
            rows.append(w)
        return rows

    def spent(rows):
        if rows is None or min(map(min, rows)) < 1:
            return math.inf
        return max(max(column) / min(column) for column in zip(*rows))

    low, high = 0.0, epsilon / (max(map(max, u)) - min(map(min, u)))
    for _ in range(64):
        if spent(weights(high)) > E:
            break
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if spent(weights(middle)) <= E else (low, middle)
    rows = weights(low)
    if spent(rows) > E:
        raise Refused
    hold(spent(rows), epsilon)
    odds = max(Fraction(max(column), min(column)) for column in zip(*rows))
    certify(odds, epsilon)
    return {"mechanism": "exponential", "weights": rows}, odds


# ---- format.md sections 5.10 and 5.11: bits that are kept

def d_bit_flip(k, d, epsilon1, permanent=None):
    """Section 5.10: (law, exact odds of a report, exact odds of the stored bits)."""
    law = unary(k, epsilon1 * (1 if d > 1 else 2), permanent and permanent * (1 if d > 1 else 2), True)[0]
    law = {**law, "mechanism": "d-bit-flip", "bits": d}
    stored, odds = rappor_odds({**law, "hashes": 1})
    if d == 1:
        a, b = Fraction(law["one"], TI), Fraction(law["zero"], TI)
        irr = law.get("irr", {"one": TI, "zero": 0})
        A, B = [x * Fraction(irr["one"], TI) + (1 - x) * Fraction(irr["zero"], TI) for x in (a, b)]
        stored, odds = max(a / b, (1 - b) / (1 - a)), max(A / B, (1 - B) / (1 - A))
    certify(odds, epsilon1)
    certify(stored, permanent or epsilon1)
    return law, odds, stored


def one_bit(epsilon1, permanent):
    """Section 5.11: (law, exact odds of a report, exact odds of the stored bit)."""
    law, odds, stored = k_ary_permanent(2, epsilon1, permanent)
    return {**law, "mechanism": "one-bit"}, odds, stored


def make_sets():
    """sets.json"""
    out = {"privset": [], "chosen": [], "exponential": [], "dBitFlip": [], "oneBit": [], "refused": []}

    def add(table, made, **given):
        try:
            law, odds, *stored = made()
        except Refused:
            out["refused"].append({"table": table, **given})
            return
        out[table].append({**given, "law": law, "odds": ratio(odds), **({"permanentOdds": ratio(stored[0])} if "irr" in law else {})})

    for e in EPSILONS:
        for k, d in ((2, 1), (8, 3), (300, 1), (300, 300)):
            add("dBitFlip", lambda: d_bit_flip(k, d, e), size=k, bits=d, epsilon=e)
            add("dBitFlip", lambda: d_bit_flip(k, d, e, e + 1), size=k, bits=d, epsilon=e, permanent=e + 1)
        for p in EPSILONS:
            if e <= p:
                add("oneBit", lambda: one_bit(e, p), epsilon=e, permanent=p)
    for e in EPSILONS + [1e-11, 30]:
        for d, L in ((2, 1), (2, 2), (5, 3), (16, 4), (100, 5), (1000, 20), (1000, 64)):
            for m in sorted({1, 2, d // 4 or 1}):
                add("privset", lambda: privset(d, L, m, e), size=d, atMost=L, subset=m, epsilon=e)
            if e <= 16:
                add("chosen", lambda: choose_set(d, L, e), size=d, atMost=L, epsilon=e)
        for u in ([[1, 0], [0, 1]], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [[-abs(i - j) for j in range(5)] for i in range(4)],
                  [[3, 2, 0, -1], [0, 2, 2.5, 1]], [[10, 0, 0, 5], [0, 10, 0, 5], [0, 0, 10, 5]], [[1, 2], [2, 3]],
                  [[(i * j) % 7 / 4 for j in range(20)] for i in range(6)]):
            add("exponential", lambda: exponential(u, e), utility=u, epsilon=e)
    return out


# ---- format.md sections 3, 4, 5.16 and 5.17: local hashing, its cohorts, and the texts of pairs

def is_prime(n):
    return n > 1 and all(n % m for m in range(2, math.isqrt(n) + 1))


def family(d, g):
    """Section 5.16: (vectors, cohorts, c as a double)."""
    k = 1
    while g ** k < d:
        k += 1
    cohorts = 1 if g == d else (g ** k - 1) // (g - 1)
    return g ** k, cohorts, (g ** (k - 1) - 1) / (g ** k - 1)


def bucket_of(g, j, answer):
    """Section 5.16: the bucket of an answer in cohort j."""
    m, before = 0, 0
    while j >= before + g ** m:
        before += g ** m
        m += 1
    t = j - before
    v = [answer // g ** i % g for i in range(m + 1)]
    if m == 0:  # also of g = d, which may be the order of no field
        return v[0]
    plus, times = field(g)
    bucket = v[m]
    for i in range(m):
        bucket = plus(bucket, times(t // g ** i % g, v[i]))
    return bucket


def hashed(d, epsilon, g):
    """Section 5.16: (V, cells, g)."""
    E, (_, cohorts, c) = exp(epsilon), family(d, g)
    z = E + (g - 1)
    a, b = E / z, (g - 1) / ((g - 1) * z)
    return mean_variance(d, a, c * a + (1 - c) * b), cohorts * g, g


def below(d, epsilon):
    """Section 5.16: the candidates below d."""
    most = min(2 * exp(epsilon) + 3, d - 1, math.sqrt(2 ** 21))
    all_of = [hashed(d, epsilon, g) for g in range(2, math.floor(most) + 1) if g == 4 or is_prime(g)]
    return [each for each in all_of if each[1] <= 2 ** 21]


def buckets_for(d, epsilon, permanent):
    """Section 5.16: g where nobody names it."""
    found = below(d, epsilon) + [hashed(d, epsilon, d)]
    least = min(found)[0]
    near = [(cells, g) for v, cells, g in found if v <= (1.05 if permanent else 1.03) * least]
    return (near[0] if permanent else min(near, key=lambda each: each[0]))[1]


def bucket_law(law, g, epsilon, permanent):
    """Sections 5.16 and 5.17: the law with the integers of a k-ary response over g, and its odds."""
    response, *odds = k_ary_permanent(g, epsilon, permanent) if permanent else k_ary(g, epsilon)
    return ({**law, "buckets": g, **{key: response[key] for key in ("truth", "irr") if key in response}}, *odds)


def local_hashing(d, epsilon, permanent=None, g=None):
    """Section 5.16: (law, exact odds, ...)."""
    g = g or buckets_for(d, epsilon, permanent is not None)
    return bucket_law({"mechanism": "local-hashing", "size": d}, g, epsilon, permanent)


def choose_long(d, epsilon):
    """Section 5.3, chooser 1: the law of a list of d answers that names longList()."""
    law = choose(d, epsilon)
    if law["mechanism"] == "k-ary" or d <= 64:
        return law
    E, m = exp(epsilon), law["subset"]
    z = m * E + (d - m)
    most = 1.03 * mean_variance(d, m * E / z, ((m - 1) * m * E + (d - m) * m) / ((d - 1) * z))
    near = [each for each in below(d, epsilon) if each[0] <= most]
    return local_hashing(d, epsilon, None, min(near, key=lambda each: each[1])[2])[0] if near else law


def string_hashing(epsilon, devices, permanent=None):
    """Section 5.17: (law, exact odds, ...)."""
    E, cohorts = exp(epsilon), 1
    V = [((E - 1 + g) * (E - 1 + g)) / ((E - 1) * (E - 1) * (g - 1)) for g in range(2, 4097)]
    most = min(V) * (1.05 if permanent else 1)
    g = next(g for g, v in enumerate(V, 2) if v <= most)
    while cohorts < min(65536, 2 ** 24 / (2 * g)) and cohorts * cohorts * (g - 1) * (g - 1) * V[g - 2] < 900 * devices:
        cohorts *= 2
    return bucket_law({"mechanism": "string-hashing", "cohorts": cohorts}, g, epsilon, permanent)


def pair_text(text, index):
    """Section 3: the text of a pair."""
    data = re.sub("[\ud800-\udfff]", "\ufffd", text).encode("utf-8")
    return "5:\0long%d" % index if len(data) > 247 else "%d:%s%d" % (len(data), text, index)


def make_local_hashing():
    """local-hashing.json"""
    out = {"list": [], "long": [], "strings": [], "refused": [], "families": [], "buckets": [], "pairs": []}

    def add(table, made, **given):
        try:
            law, *odds = made()
        except Refused:
            out["refused"].append({"table": table, **given})
            return
        out[table].append({**given, "law": law, **dict(zip(("odds", "permanentOdds"), map(ratio, odds)))})

    for e in EPSILONS + [0.3, 3, 6]:
        for d in (2, 3, 5, 16, 100, 128, 1024, 100000):
            add("list", lambda: local_hashing(d, e), size=d, epsilon=e)
            add("list", lambda: local_hashing(d, e, e + 1), size=d, epsilon=e, permanent=e + 1)
        for d in (2, 64, 65, 100, 128, 249, 250, 300, 715, 1000, 1024, 4096, 10000, 65537, 100000):
            try:
                out["long"].append({"size": d, "epsilon": e, "law": choose_long(d, e)})
            except Refused:
                continue
        for d, g in ((2, 2), (6, 6), (10, 2), (10, 7), (10, 4), (1000, 4), (1000, 5)):
            add("list", lambda: local_hashing(d, e, None, g), size=d, epsilon=e, buckets=g)
        for n in (1, 1000, 100000, 1000000000):
            add("strings", lambda: string_hashing(e, n), epsilon=e, devices=n)
            add("strings", lambda: string_hashing(e, n, e + 0.5), epsilon=e, devices=n, permanent=e + 0.5)
    for e in (1e-10, 40):
        add("list", lambda: local_hashing(16, e), size=16, epsilon=e)
        add("strings", lambda: string_hashing(e, 1000), epsilon=e, devices=1000)
    for d, g in ((2, 2), (4, 4), (6, 6), (3, 2), (9, 3), (10, 3), (10, 4), (1000, 4), (20, 7), (49, 7), (50, 7), (1000, 11), (100000, 2), (100000, 317)):
        vectors, cohorts, _ = family(d, g)
        answers = sorted({0, 1, d // 3, d // 2, d - 2, d - 1})
        picked = sorted({*range(min(cohorts, 8)), cohorts // 2, cohorts - 2, cohorts - 1} - {-1})
        rows = [[bucket_of(g, j, v) for v in answers] for j in picked]
        out["families"].append({"size": d, "buckets": g, "vectors": vectors, "cohorts": cohorts, "answers": answers,
                                "rows": [{"cohort": j, "buckets": row} for j, row in zip(picked, rows)]})
    for text in ("", "a", "https://example.org/", "caf\u00e9", "\U0001f426"):
        digits = murmur3_x64_128(hashed_bytes(text))
        out["buckets"].append({"string": text, "buckets": [{"cohort": j, "of": g, "is": bloom(digits, j, g, 1)[0]}
                                                           for j in (0, 1, 127, 65535) for g in (2, 3, 6, 37, 4096)]})
    for text in ("", "/docs", "7", "1:a", "caf\u00e9", "\ud800", "a" * 247, "a" * 248, "\u00e9" * 123, "\u00e9" * 124):
        for index in (0, 1, 99999):
            made = pair_text(text, index)
            out["pairs"].append({"string": text, "index": index, "text": made, "murmur3_x64_128": murmur3_x64_128(hashed_bytes(made))})
    return out


# ---- format.md sections 4 and 5.25: prefix hashing, and the places of prefixes

def prefix_hashing(longest, epsilon):
    """Section 5.25: (law, exact odds)."""
    designs = []
    for g in range(2, math.floor(max(4, min(2 * exp(epsilon) + 3, 257))) + 1):
        if g != 4 and not is_prime(g):
            continue
        d = g * g
        while d < 65536:
            d *= g
        if d <= 2 ** 20:
            designs.append((hashed(d, epsilon, g)[0], d, g))
    least = min(designs)[0]
    _, d, g = min((each for each in designs if each[0] <= 1.05 * least), key=lambda each: each[1])
    law = {"mechanism": "prefix-hashing", "longest": longest, "bins": 8, "places": d}
    return bucket_law(law, g, epsilon, None)


def place_of(text, longest, bins, places, level):
    """Section 4: the place of a string at a level."""
    def mix(x):
        x &= M32
        x = (x ^ (x >> 16)) * 0x85EBCA6B & M32
        x = (x ^ (x >> 13)) * 0xC2B2AE35 & M32
        return x ^ (x >> 16)

    data = re.sub("[\ud800-\udfff]", "\ufffd", text).encode("utf-8")[:longest]
    symbols = [*data, 256][:longest]
    f, s, words = 0x243F6A88, 0x05A308D3, []
    for y in symbols:
        f, s = mix(f ^ ((y + 1) * 0x9E3779B1 & M32)), mix(s * 0x2C1B3C6D + y + 1)
        words.append((f, s))
    F, S = words[-1]
    f, s = words[min(level, len(words) - 1)]
    bin = mix(F ^ (S * 0x1B873593 & M32)) * bins >> 32
    x = mix(f ^ ((level + 1) * 0x9E3779B1 & M32) ^ ((bin + 1) * 0x7FEB352D & M32))
    return mix(s + x + bin) * places >> 32


def make_prefixes():
    """prefixes.json"""
    out = {"laws": [], "refused": [], "places": []}
    for e in EPSILONS + [0.3, 3, 6, 40]:
        try:
            law, odds = prefix_hashing(16, e)
        except Refused:
            out["refused"].append({"longest": 16, "epsilon": e})
            continue
        out["laws"].append({"longest": 16, "epsilon": e, "law": law, "odds": ratio(odds)})
    for text in ("", "a", "tea", "caf\u00e9", "https://example.org/", "\U0001f426", "\ud800", "12345678", "1234567\U0001f426"):
        for longest, bins, places in ((1, 1, 4), (8, 8, 68921), (20, 16, 65536)):
            rows = [place_of(text, longest, bins, places, level) for level in range(longest)]
            out["places"].append({"string": text, "longest": longest, "bins": bins, "places": places, "levels": rows})
    return out


def cases(value, indent=""):
    """JSON of a list with one item a line."""
    lines = ",\n".join(indent + " " + json.dumps(each) for each in value)
    return "[\n" + lines + "\n" + indent + "]" if value else "[]"


def written(value):
    """JSON of a list of cases, or of an object of lists of cases, with one case a line."""
    if isinstance(value, list):
        return cases(value)
    rows = (json.dumps(key) + ": " + (cases(rest, " ") if isinstance(rest, list) else json.dumps(rest)) for key, rest in value.items())
    return "{\n" + ",\n".join(" " + row for row in rows) + "\n}"


def main():
    """Writes every file."""
    for name, make in (("hashing", make_hashing), ("laws", make_laws), ("canonical", make_canonical), ("schemas", make_schemas),
                       ("batch-v1", make_batch), ("numbers", make_numbers), ("sets", make_sets),
                       ("local-hashing", make_local_hashing), ("designs", make_designs), ("prefixes", make_prefixes)):
        (HERE / (name + ".json")).write_text(written(make()) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
