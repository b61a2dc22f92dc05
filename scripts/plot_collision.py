#!/usr/bin/env python3
"""Draws docs/collision.png, the picture of README.md, from the snapshots of this run (two minutes on two cores):

    manybody run --ic collision --with disc-share=0.8 --inclination1 20 --inclination2 60 --separation 15 -n 12000 \\
        --precision f32 --eps 0.1 --dt 1/16 --t-end 18 --snapshot-every 2 --out collision.hdf5
    python3 scripts/plot_collision.py collision.00{00,04,06,08}.hdf5 -o docs/collision.png

Needs h5py and matplotlib (yt of tests/python/requirements.txt installs both).
"""

import argparse

import h5py
import matplotlib
import numpy as np

matplotlib.use("Agg")
import matplotlib.pyplot as plt

DISC = 2  # column `component`: 1 halo, 2 disc, 3 bulge
COLOURS = ["#ffb454", "#59c2ff"]  # first and second galaxy
HALF_WIDTH = 11.0  # of a panel, in scale lengths of a disc


def disc_stars(path):
    """Time, positions and galaxy (0 or 1) of the disc stars of a snapshot."""
    with h5py.File(path) as file:
        time = file["Header"].attrs["Time"]
        stars = file["PartType4"]
        disc = stars["component"][:] == DISC
        return float(time), stars["Coordinates"][:][disc], stars["group"][:][disc].astype(int)


def draw(axes, path):
    time, x, galaxy = disc_stars(path)
    order = np.random.default_rng(1).permutation(len(x))  # so that neither galaxy covers the other
    colours = np.array(COLOURS)[galaxy[order]]
    axes.scatter(x[order, 0], x[order, 1], s=0.35, c=colours, alpha=0.6, linewidths=0)
    axes.set(xlim=(-HALF_WIDTH, HALF_WIDTH), ylim=(-HALF_WIDTH, HALF_WIDTH), aspect="equal", xticks=[], yticks=[])
    axes.set_facecolor("#0b0e14")
    axes.text(0.04, 0.93, f"t = {time:g}", transform=axes.transAxes, color="white", fontsize=9)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("snapshots", nargs="+")
    parser.add_argument("-o", "--out", required=True)
    options = parser.parse_args()
    figure, panels = plt.subplots(1, len(options.snapshots), figsize=(2.5 * len(options.snapshots), 2.5), squeeze=False)
    for axes, path in zip(panels[0], options.snapshots):
        draw(axes, path)
    figure.subplots_adjust(left=0, right=1, bottom=0, top=1, wspace=0.02)
    figure.savefig(options.out, dpi=100)


if __name__ == "__main__":
    main()
