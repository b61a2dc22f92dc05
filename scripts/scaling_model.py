"""The cost of an evaluation by ranks with a GPU each: a model, fitted to what was measured, beside it, and drawn further.

    python scripts/scaling_model.py [PICTURE.png]

Prints the fit and the table that docs/scaling.md has. Measured:
docs/measurements/2026-11-27-launches-overlap.md, and 2026-11-26-nccl.md for `direct` by two ranks.
"""

import sys

import numpy as np

# solver and precision, N, ranks, seconds of one rank, of these by NCCL
MEASURED = [
    ("symmetric, f32", 262_144, 2, 0.01989, 0.01034),
    ("symmetric, f32", 262_144, 4, 0.01989, 0.00540),
    ("symmetric, f32", 1_048_576, 2, 0.31816, 0.16178),
    ("symmetric, f32", 1_048_576, 4, 0.31816, 0.08258),
    ("symmetric, f64", 1_048_576, 2, 0.73753, 0.38849),
    ("symmetric, f64", 1_048_576, 4, 0.73753, 0.19650),
    ("direct, f32", 262_144, 2, 0.03062, 0.01702),
    ("direct, f32", 262_144, 4, 0.03190, 0.00857),
    ("direct, f32", 1_048_576, 2, 0.47932, 0.25999),
    ("direct, f32", 1_048_576, 4, 0.48605, 0.12726),
]
TILE = 256  # bodies that are dealt out together
BYTES = 24  # of a body's acceleration
NVLINK = 300e9  # bytes a second between GPUs of one host; assumed, it has no weight in the fit
NETWORK = 50e9  # of a GPU to other hosts, 400 Gbit/s each; assumed
GPUS_OF_A_HOST = 8
STEP_OF_NETWORK = 20e-6  # seconds that a doubling of the ranks adds; assumed


def rates() -> dict[str, float]:
    """Interactions a second of one GPU: means of what was measured."""
    names = {name for name, *_ in MEASURED}
    return {name: float(np.mean([n * n / one for other, n, _, one, _ in MEASURED if other == name])) for name in names}


def exchange(n: float, ranks: int) -> float:
    """Seconds in which the accelerations of all bodies get to all ranks."""
    bandwidth = NVLINK if ranks <= GPUS_OF_A_HOST else NETWORK
    return BYTES * n * (ranks - 1) / ranks / bandwidth


def uneven(n: float, ranks: int) -> float:
    """What whole tiles add to the work of a rank."""
    tiles = np.ceil(n / TILE)
    return np.ceil(tiles / ranks) * ranks / tiles


def seconds(n: float, ranks: int, rate: float, fit: tuple[float, float]) -> float:
    """Seconds of an evaluation: pairs, an exchange, and what each evaluation costs besides."""
    efficiency, constant = fit
    if ranks == 1:
        return n * n / rate
    between_hosts = max(0.0, np.log2(ranks / GPUS_OF_A_HOST)) * STEP_OF_NETWORK
    return uneven(n, ranks) * n * n / (ranks * rate * efficiency) + exchange(n, ranks) + constant + between_hosts


def fitted() -> tuple[float, float]:
    """The efficiency of GPUs of ranks, and the constant: the least sum of squares of relative errors."""
    rows, wanted = [], []
    for _, n, ranks, one, several in MEASURED:
        rows.append([uneven(n, ranks) * one / ranks / several, 1 / several])
        wanted.append((several - exchange(n, ranks)) / several)
    (inverse, constant), *_ = np.linalg.lstsq(np.array(rows), np.array(wanted), rcond=None)
    return 1 / inverse, constant


def draw(path: str, fit: tuple[float, float]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ranks = 2 ** np.arange(11)
    fig, ax = plt.subplots(figsize=(6.4, 4.2))
    for n, color in [(1e6, "C0"), (1e7, "C1"), (1e8, "C2"), (1e9, "C3")]:
        ax.loglog(ranks, [seconds(n, r, rates()["direct, f32"], fit) for r in ranks], color=color, label=f"$10^{int(np.log10(n))}$")
        ax.loglog(ranks, seconds(n, 1, rates()["direct, f32"], fit) / ranks, color=color, lw=0.6, ls=":")
    for name, n, ranks, one, several in MEASURED:
        if name == "direct, f32":
            ax.loglog([1, ranks], np.array([one, several]) * (1e6 / n) ** 2, "ko" if n > 5e5 else "k+", ms=4)
    ax.set_xlabel("GPUs, a rank each")
    ax.set_ylabel("seconds of an evaluation")
    ax.set_title("all pairs, direct, f32: model; marks: measured, scaled to $10^6$; dotted: ideal", fontsize=9)
    ax.legend(title="bodies", fontsize=8)
    ax.grid(alpha=0.3)
    fig.tight_layout()
    fig.savefig(path, dpi=90)


def main() -> None:
    fit = fitted()
    print(f"efficiency {fit[0]:.3f}, constant {fit[1] * 1e3:.2f} ms")
    print("| solver, precision | N | ranks | measured | model | error |\n|---|---|---|---|---|---|")
    for name, n, ranks, one, several in MEASURED:
        found = seconds(n, ranks, n * n / one, fit)
        print(f"| {name} | {n:,} | {ranks} | {several:.5f} | {found:.5f} | {found / several - 1:+.1%} |")
    print("| N | GPUs | seconds | of the ideal |\n|---|---|---|---|")
    rate = rates()["direct, f32"]
    for n in [1e6, 1e7, 1e8, 1e9]:
        for ranks in [4, 64, 1024]:
            found = seconds(n, ranks, rate, fit)
            print(f"| 10^{int(np.log10(n))} | {ranks:,} | {found:.3g} | {n * n / rate / ranks / found:.0%} |")
    if len(sys.argv) > 1:
        draw(sys.argv[1], fit)


if __name__ == "__main__":
    main()
