"""
Finds the small laws of a number's mean, SMALL in shared/src/mechanisms/number.ts, and shows which windows and bends its sines need.

Needs scipy: python3 test/proofs/number-shapes.py. The test beside it does not: it changes the frozen integers one by one.

On [-1, 1], a channel of g steps and windows of L cells (shared/src/mechanisms/scored.ts) with scores y that change their sign from one end to
the other, and E[y | g] = 1, has a variance of at most V_i = E[(y - t_i)^2 | i] in step i, t_i = (y_i + y_(i+L)) / 2. Each V_i is a convex
quadratic form of the scores, so the least of their largest is one convex program:
  minimize V   with   V_i <= V for all i,   E[y | g] = 1,   no score beyond the last one's,
the last because the law's integers go from 0 to the last output's. That is solved at several epsilon of the range in which the law is chosen. A line in D = (e^epsilon + 1)/(e^epsilon - 1) is drawn through each
score, and its constant and slope are rounded to tenths. Then neighbours are tried: changes of one integer by 1 or 2, or of a slope and its
constant together, and two such changes at once, for as long as the largest part that is lost over the range goes down.
"""

from itertools import combinations

import numpy as np
from scipy.optimize import minimize

# g, L and the range of epsilon in which the law is to be good.
RANGES = ((2, 2, 0.1, 0.22), (3, 3, 0.22, 1.08), (4, 3, 1.08, 1.78), (10, 6, 1.78, 2.66))
TENTHS = 10
STEPS = 64


def duchi(epsilon):
    return (np.exp(epsilon) + 1) / (np.exp(epsilon) - 1)


def halves(outputs):
    """From the scores above the middle to all scores."""
    half = outputs // 2
    basis = np.zeros((outputs, half))
    for k in range(half):
        basis[outputs - half + k, k], basis[half - 1 - k, k] = 1, -1
    return basis


class Channel:
    """The forms V_i of the scores above the middle, and their mean at the range's end."""

    def __init__(self, g, L, epsilon):
        e = np.exp(epsilon)
        basis = halves(g + L)
        inside = lambda i: np.where((np.arange(g + L) >= i) & (np.arange(g + L) < i + L), e, 1.0) / (e * L + g)
        self.end = inside(g) @ basis
        self.forms = []
        for i in range(g // 2, g):
            apart = basis - (basis[i] + basis[i + L]) / 2
            self.forms.append(apart.T @ (inside(i)[:, None] * apart))
        self.forms = np.array(self.forms)

    def worst(self, scores):
        """The largest V_i, whatever unit the scores are in, none of which goes beyond the last."""
        scores = np.minimum(scores, scores[-1])
        return np.einsum("i,kij,j->k", scores, self.forms, scores).max() / (self.end @ scores) ** 2

    def best(self):
        """The scores with the least of it, and that."""
        start = np.linspace(0.2, 1, len(self.end))
        start /= self.end @ start
        unit = self.worst(start)
        below = np.hstack([-np.eye(len(start) - 1), np.ones((len(start) - 1, 1)), np.zeros((len(start) - 1, 1))])
        found = minimize(
            lambda x: x[-1],
            np.append(start, 1),
            jac=lambda x: np.append(np.zeros(len(start)), 1),
            constraints=[
                {"type": "eq", "fun": lambda x: self.end @ x[:-1] - 1, "jac": lambda x: np.append(self.end, 0)},
                {"type": "ineq", "fun": lambda x: x[-2] - x[:-2], "jac": lambda x: below},
                {
                    "type": "ineq",
                    "fun": lambda x: x[-1] - np.einsum("i,kij,j->k", x[:-1], self.forms, x[:-1]) / unit,
                    "jac": lambda x: np.hstack([-2 * self.forms @ x[:-1] / unit, np.ones((len(self.forms), 1))]),
                },
            ],
            method="SLSQP",
            options={"maxiter": 500, "ftol": 1e-12},
        )
        return found.x[:-1], self.worst(found.x[:-1])


def fitted(g, L, low, high, places=9):
    """Two rows of integers, constants and slopes; before and after the search, the largest part lost over the range."""
    epsilons = np.linspace(low, high, places)
    channels = [Channel(g, L, epsilon) for epsilon in epsilons]
    best = [channel.best() for channel in channels]
    lines = np.array([np.ones(places), duchi(epsilons)])

    def lost(integers):
        return max(channel.worst(scores) / least for channel, scores, (_, least) in zip(channels, (integers.T @ lines).T, best)) - 1

    integers = np.rint(TENTHS * np.linalg.lstsq(lines.T, np.array([scores for scores, _ in best]), rcond=None)[0]).astype(int)
    first = least = lost(integers)
    moves = []
    for k in range(integers.shape[1]):
        for change in (-2, -1, 1, 2):
            for constant, slope in ((change, 0), (0, change), (-round(change * lines[1].mean()), change)):
                move = np.zeros_like(integers)
                move[:, k] = constant, slope
                moves.append(move)
    moves += [one + other for one, other in combinations(moves, 2)]
    improved = True
    while improved:
        improved = False
        for move in moves:
            now = lost(integers + move)
            if now < least - 1e-6:
                integers, least, improved = integers + move, now, True
    return integers, first, least


def sine(epsilon):
    """The window and the bend of the sines with the least variance on STEPS steps, the bend as in the law's source."""
    found = []
    near = 1.35 * STEPS * np.exp(-epsilon / 3)
    for L in range(max(1, int(0.7 * near)), int(1.3 * near) + 2):
        channel = Channel(STEPS, L, epsilon)
        share = (2 * np.arange(STEPS + L) + 1 - STEPS - L)[-((STEPS + L) // 2) :] / (STEPS + L)
        for bend in np.arange(1, 3, 0.05):
            square = bend * share**2 / epsilon
            scores = share * (1 - square + 0.3 * square**2)
            found.append((channel.worst(scores), L, bend))
    return min(found)


def main():
    for g, L, low, high in RANGES:
        integers, first, least = fitted(g, L, low, high)
        lines = ", ".join(str(integer) for integer in integers.T.flatten())
        print(f"[{g}, {L}, {lines}] epsilon {low} to {high}: above the best scores by {first:.2%} as rounded, {least:.2%} as searched", flush=True)
    for epsilon in (2.75, 3, 3.5, 4, 5, 6, 8):
        variance, L, bend = sine(epsilon)
        print(f"sines, epsilon {epsilon}: variance {variance:.5g}, window {L}, {L / STEPS * np.exp(epsilon / 3):.2f} e^(-epsilon/3) of the range, bend {bend:.2f}")


main()
