"""Recomputes a certificate (docs/format.md, section 7) from its thresholds: python3 verify_certificate.py [FILE]
Formulas: Warner 1965; Kairouz, Bonawitz, Ramage 2016, 2.2; Ye, Barg 2018, III; Acharya et al. 2019; Feldman et al. 2022; Wang et al. 2017, 2018, 2019; McSherry, Talwar 2007; Ding et al. 2017; Li et al. 2020; Ghosh et al. 2009; Erlingsson, Pihur, Korolova 2014, 3.
Exit 0 and one line when every number is right and every claim holds; else 1 and what is wrong."""
import array, decimal, hashlib, json, math, sys
from decimal import Decimal
from fractions import Fraction

decimal.getcontext().prec = 80
getattr(sys, "set_int_max_str_digits", int)(0)  # a year of daily reports has long numbers
T, DAYS = 2**32, {"day": 1, "week": 7, "month": 30, "year": 365}
up = lambda x: x.quantize(Decimal("1e-12"), decimal.ROUND_CEILING)

def number(x):  # as ECMAScript writes a number, its sign aside (Number::toString)
    _, digits, exponent = Decimal(repr(x)).normalize().as_tuple()
    text, point = "".join(map(str, digits)), len(digits) + exponent
    if not -6 < point <= 21: return text[0] + ("." + text[1:] if text[1:] else "") + "e%+d" % (point - 1)
    return (text[: max(point, 0)].ljust(point, "0") or "0") + ("." * (len(text) > point) + "0" * -point + text[max(point, 0) :])

def canonical(x):  # RFC 8785
    if isinstance(x, dict): return "{" + ",".join(canonical(key) + ":" + canonical(x[key]) for key in sorted(x, key=lambda key: key.encode("utf-16-be"))) + "}"
    if isinstance(x, list): return "[" + ",".join(map(canonical, x)) + "]"
    return "-" * (x < 0) + number(abs(x)) if type(x) in (int, float) else json.dumps(x, ensure_ascii=False)

def odds(law):  # e^epsilon of a report, and of an epoch where there is a second stage
    irr = law.get("irr")
    if "order" in law:  # hadamard; projective, of all points those in a hyperplane
        q, rest, t = law["order"], law["order"] ** (law["dimension"] - 1), law["inside"]
        return Fraction(t * (q - 1) * rest, (T - t) * (rest - (law["mechanism"] == "projective"))), None
    if "include" in law or "inside" in law:  # subset; piecewise, square-wave; hybrid, which has Duchi's ends too
        m, t, ends = law.get("subset") or law["window"], law.get("include") or law["inside"], law.get("truth", 1)
        return max(Fraction(t * (law.get("grid") or law["size"] - m), (T - t) * m), Fraction(ends, T - ends)), None
    if "levels" in law: return max(odds(level)[0] for level in law["levels"]), None  # hierarchical
    if "hit" in law:  # privset
        w = Fraction(*(math.comb(n, law["atMost"]) for n in (law["size"] + law["atMost"] - law["subset"], law["size"] + law["atMost"])))
        return law["hit"] * w / ((T - law["hit"]) * (1 - w)), None
    if "tails" in law or "weights" in law:  # geometric, laplace; exponential
        tails, columns = law.get("tails"), zip(*law.get("weights", []))
        near = [a - b for a, b in zip([T - tails[0]] + tails, tails)] if tails else []
        return max(Fraction(max(each), min(each)) for each in ([near, (T - tails[0], tails[-1])] if tails else columns)), None
    if "truth" in law:  # k-ary, one-bit, hashing, the sign of a sketch
        others, a, b = 1 if "sketch" in law["mechanism"] else (law.get("buckets") or law["size"]) - 1, Fraction(law["truth"], T), Fraction(irr["truth"], T) if irr else 1
        same = a * b + (1 - a) * (1 - b) / others
        return same * others / (1 - same), a * others / (1 - a) if irr else None
    bits = lambda a, b: max(a / b, (1 - b) / (1 - a)) if law.get("bits") == 1 else (a * (1 - b) / (b * (1 - a))) ** law.get("hashes", 1)
    ends = [Fraction(law[bit], T) for bit in ("one", "zero")]
    twice = [Fraction(x * irr["one"] + (1 - x) * irr["zero"]) / T for x in ends] if irr else ends
    return bits(*twice), bits(*ends) if irr else None

def check(what, right, got):
    right == got or sys.exit("WRONG %s: expected %s, got %s" % (what, str(right)[:90], str(got)[:90]))

def within(what, ratio, got, claim, bound=Decimal("inf")):  # the bound stands where the ratio's own epsilon is above it
    check(what + ": epsilon", str(min(up(Decimal(ratio.numerator).ln() - Decimal(ratio.denominator).ln()), bound)), got["epsilon"])
    return Decimal(got["epsilon"]) <= up(Decimal(repr(claim)))

it = json.load(open(sys.argv[1]) if sys.argv[1:] else sys.stdin)
document, window = it["document"], it["window"]
check("fingerprint", hashlib.sha256(canonical(document).encode()).hexdigest(), it["fingerprint"])
checksum = 0xCBF29CE484222325  # FNV-1a of UTF-16 code units
for unit in array.array("H", canonical({key: value for key, value in document.items() if key != "about"}).encode("utf-16-le")):
    checksum = (checksum ^ unit) * 0x100000001B3 % 2**64
check("schema", "%s/%d/%016x" % (document["app"], document["version"], checksum), it["schema"])
check("window: budget, per, assign", [document["budget"], document.get("assign")], [{"epsilon": window["budget"], "per": window["per"]}, window.get("assign")])
check("metrics", sorted(document["metrics"]), sorted(it["metrics"]))
total, holds = Fraction(1), True
for name, metric in document["metrics"].items():
    got, (report, epoch) = it["metrics"][name], odds(metric["law"])
    check(name + ": law, permanent, epoch", [metric["law"]] + [epoch is not None] * 2, [got["law"], "permanent" in metric, "epoch" in got])
    times = 1 if epoch or metric["every"] == "once" else -(-DAYS[window["per"]] // DAYS[metric["every"]])
    check(name + ": times", times, got["window"]["times"])
    spends = [("report", report, metric["epsilon"]), ("window", (epoch or report) ** times, window["budget"])]
    for part, ratio, claim in spends + ([("epoch", epoch, metric["permanent"]["epsilon"])] if epoch else []):
        check("%s: %s" % (name, part), [str(ratio.numerator), str(ratio.denominator)], [got[part]["numerator"], got[part]["denominator"]])
        holds &= within("%s: %s" % (name, part), ratio, got[part], claim)
    total *= spends[1][1]
bounded = holds and document.get("assign") == "random"  # each is within its claim, and a device answers only what fits the budget
holds &= within("window", total, window, window["budget"], up(Decimal(repr(window["budget"]))) if bounded else Decimal("inf"))
check("holds", holds, it["holds"])
print("%s %s, SHA-256 %s: %d metrics, epsilon %s a %s of %s" % ("HOLDS" if holds else "EXCEEDED", it["schema"], it["fingerprint"], len(it["metrics"]), window["epsilon"], window["per"], window["budget"]))
sys.exit(0 if holds else 1)
