#!/bin/bash
# A run on two nodes: one rank a node, a thread for each of its cores.   sbatch slurm.sh
#SBATCH --job-name=manybody
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=64
#SBATCH --time=12:00:00
#SBATCH --signal=TERM@60
# 60 s before the time is over, SIGTERM: rank 0 keeps a snapshot, and the job can be continued.

set -euo pipefail

# the folder in which the ranks meet: one that all nodes see, of this user alone
export MANYBODY_RANKS_DIR=$HOME/.manybody-ranks

run=b
if [ -e "$run.toml" ]; then
    srun --cpus-per-task="$SLURM_CPUS_PER_TASK" manybody run --resume "$run.hdf5" --threads "$SLURM_CPUS_PER_TASK"
else
    srun --cpus-per-task="$SLURM_CPUS_PER_TASK" manybody run --ic king --w0 7 -n 262144 --t-end 10 --snapshot-every 1/4 \
        --out "$run.hdf5" --threads "$SLURM_CPUS_PER_TASK"
fi
