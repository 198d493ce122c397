"""
Lower bounds for the worst-case variance of one report about a number, over all mechanisms: test/proofs/number-bounds.json.

Needs scipy: python3 test/proofs/number-bounds.py. The test beside it does not: it proves each bound from the multipliers.

A channel whose inputs are a few places x of [-1, 1] has as columns mixtures of columns with two values, 1 and e^epsilon, whatever its
outputs are. With a weight for each such column M and score y, unbiased estimators of the least worst-case variance V are
  minimize V   with   sum w M(x) = 1,   sum w y M(x) = x,   sum w y^2 M(x) <= V + x^2   for all x.
Multipliers a, b of the equations and g <= 0 of the inequalities, scaled to sum g = -1, prove
  V >= sum a + sum b x + sum g x^2 - max(0, the largest of sum M(x) (a + b y + g y^2) over all M and y),
since the weights sum to at most 1. Columns are added where that largest one is found, until it is next to 0. More places only
raise the bound, so it holds for all numbers of the range too. By symmetry, a and g are even in x, and b is odd.
"""

import json
import os

import numpy as np
from scipy.optimize import linprog


def columns_at_peaks(a, b, g, E):
    """Between two roots of a + b y + g y^2 over all x, the best column is the same; its peak there, and the column."""
    roots = [-1e3, 1e3]
    for x in range(len(a)):
        if g[x] < 0 and b[x] ** 2 > 4 * a[x] * g[x]:
            root = np.sqrt(b[x] ** 2 - 4 * a[x] * g[x])
            roots += [(-b[x] - root) / (2 * g[x]), (-b[x] + root) / (2 * g[x])]
        elif g[x] == 0 and b[x] != 0:
            roots.append(-a[x] / b[x])
    ends = np.sort(np.array(roots))
    middle = (ends[1:] + ends[:-1]) / 2
    M = np.where(a[:, None] + b[:, None] * middle + g[:, None] * middle**2 > 0, E, 1.0)
    A, B, C = (g[:, None] * M).sum(0), (b[:, None] * M).sum(0), (a[:, None] * M).sum(0)
    y = np.clip(np.where(A < 0, -B / (2 * np.where(A < 0, A, -1)), middle), ends[:-1], ends[1:])
    return A * y * y + B * y + C, y, M


def solve(epsilon, xs, tolerance=1e-4, rounds=60):
    """The bound and its multipliers, at x >= 0."""
    E, n = np.exp(epsilon), len(xs)
    duchi = (E + 1) / (E - 1)
    upper = np.arange(n // 2, n)
    odd = upper[xs[upper] > 1e-12]
    columns, seen = [], set()

    def add(M, y):
        key = (M > 1.0001).tobytes() + np.round(y, 7).tobytes()
        if key not in seen:
            seen.add(key)
            columns.append((M.copy(), y))

    for i in range(n):
        for j in range(i + 1, n + 1):
            M = np.ones(n)
            M[i:j] = E
            middle = (xs[i] + xs[j - 1]) / 2
            end = i == 0 or j == n
            for y in [*np.linspace(-1.3 * duchi, 1.3 * duchi, 15), duchi, -duchi] if end else middle * np.array([0.8, 1, 1.15, 1.3, 1.5]):
                add(M, y)
    best = None
    for _ in range(rounds):
        P, y = np.array([M for M, _ in columns]).T, np.array([y for _, y in columns])
        mean, first, second = (P + P[::-1]) / 2, (P * y - P[::-1] * y) / 2, (P * y**2 + P[::-1] * y**2) / 2
        zeros = lambda rows: np.zeros((len(rows), 1))
        result = linprog(
            np.append(np.zeros(len(y)), 1),
            A_ub=np.hstack([second[upper], -np.ones((len(upper), 1))]),
            b_ub=xs[upper] ** 2,
            A_eq=np.vstack([np.hstack([mean[upper], zeros(upper)]), np.hstack([first[odd], zeros(odd)])]),
            b_eq=np.concatenate([np.ones(len(upper)), xs[odd]]),
            method="highs-ipm",
        )
        a, b, g = np.zeros(n), np.zeros(n), np.zeros(n)
        even, odds = result.eqlin.marginals[: len(upper)], result.eqlin.marginals[len(upper) :]
        for values, into, sign, rows in ((even, a, 1, upper), (odds, b, -1, odd), (np.minimum(result.ineqlin.marginals, 0), g, 1, upper)):
            for value, i in zip(values, rows):
                j = n - 1 - i
                into[i], into[j] = (value, value) if i == j else (value / 2, sign * value / 2)
        a, b, g = (values / -g.sum() for values in (a, b, g))
        excess, scores, M = columns_at_peaks(a, b, g, E)
        bound = a.sum() + (b * xs).sum() + (g * xs**2).sum() - max(excess.max(), 0)
        if best is None or bound > best[0]:
            best = (bound, a[upper], b[upper], g[upper])
        if result.fun - best[0] < tolerance * result.fun:
            break
        for i in np.nonzero(excess > 1e-9)[0]:
            add(M[:, i], scores[i])
    return best


def main():
    rows = []
    for most, places in ((None, None), (5, range(6)), (20, range(21)), (100, [*range(0, 51, 4), *range(52, 101, 4)])):
        for epsilon in (0.5, 1, 1.5, 2, 3, 4, 6):
            if most is None:
                n = 21 if epsilon <= 2 else 25 if epsilon < 4 else 33
                xs = np.linspace(-1, 1, n)
            else:
                xs = np.array([2 * place - most for place in places]) / most
            bound, *multipliers = solve(epsilon, xs)
            a, b, g = ([float(f"{value:.9g}") for value in values] for values in multipliers)
            rows.append({"max": most, "epsilon": epsilon, "places": [float(x) for x in xs if x > -1e-12], "a": a, "b": b, "g": g})
            print(most, epsilon, bound, flush=True)
    lines = ",\n".join(json.dumps(row) for row in rows)
    with open(os.path.join(os.path.dirname(__file__), "number-bounds.json"), "w") as file:
        file.write(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
