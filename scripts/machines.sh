#!/usr/bin/env bash
# Runs on two machines, which are network namespaces of this one with a name, an address and a loopback of their own, and
# a folder that both see: ranks by hand, by srun of a Slurm of two nodes, and by mpirun of Open MPI and of MPICH. The files
# are those of one process, also where the ranks write one file together; a link that is cut ends all. It needs root.
#
#     scripts/machines.sh target/release/manybody [PROGRAM WITH MPI]
set -euo pipefail
program=$(realpath "$1")
with_mpi=${2:+$(realpath "$2")}
scratch=$(mktemp -d)
names=(mb-a-$$ mb-b-$$)
machines=(node-a node-b)
addresses=(10.177.0.1 10.177.0.2)
if ! { [ "$(id -u)" = 0 ] && command -v ip && ip netns add "${names[0]}"; } >/dev/null 2>&1; then
    echo "network namespaces cannot be made here"
    rmdir "$scratch"
    exit 3
fi
clean() {
    local name
    for name in "${names[@]}"; do
        ip netns pids "$name" 2>/dev/null | xargs -r kill -9 2>/dev/null || true
        ip netns del "$name" 2>/dev/null || true
    done
    wait 2>/dev/null || true
    rm -rf "$scratch" || true
}
trap clean EXIT
ip netns add "${names[1]}"
if ! ip link add link-a netns "${names[0]}" type veth peer name link-b netns "${names[1]}"; then
    echo "a link between network namespaces cannot be made here"
    exit 3
fi
for k in 0 1; do
    ip -n "${names[k]}" link set lo up
    ip -n "${names[k]}" link set "link-$([ $k = 0 ] && echo a || echo b)" up
    ip -n "${names[k]}" address add "${addresses[k]}/24" dev "link-$([ $k = 0 ] && echo a || echo b)"
done
{ echo "127.0.0.1 localhost"; paste -d ' ' <(printf '%s\n' "${addresses[@]}") <(printf '%s\n' "${machines[@]}"); } >"$scratch/hosts"

# MACHINE COMMAND...: runs it there, in this folder
cat >"$scratch/on" <<END
#!/usr/bin/env bash
case \$1 in ${machines[0]}) name=${names[0]} ;; ${machines[1]}) name=${names[1]} ;; *) exit 9 ;; esac
exec nsenter --net=/run/netns/\$name unshare --uts --mount bash -c \
    'hostname "\$0" && mount --bind $scratch/hosts /etc/hosts && exec "\$@"' "\$@"
END
# as ssh: MACHINE WORDS OF A SHELL...
cat >"$scratch/agent" <<END
#!/usr/bin/env bash
[ "\$1" != -x ] || shift
machine=\$1
shift
exec "$scratch/on" "\$machine" bash -c "\$*"
END
chmod +x "$scratch/on" "$scratch/agent"
on() { "$scratch/on" "$@"; }

export HOME=$scratch/home XDG_RUNTIME_DIR=$scratch/runtime # ranks of two machines meet in the first
mkdir -m 700 "$HOME" "$XDG_RUNTIME_DIR"
export MANYBODY_TOKEN=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
words="-n 1500 --dt 1/64 --t-end 1/16 --snapshot-every 1/32 --log 1/32 --threads 1"
mkdir "$scratch/one"
# shellcheck disable=SC2086 # words are words
(cd "$scratch/one" && "$program" run $words --quiet --out b.hdf5)

# HOW BY COMMAND...: what ranks of both machines write is what one process writes
same() {
    local how=$1 by=$2
    shift 2
    rm -rf "$scratch/several"
    mkdir "$scratch/several"
    (cd "$scratch/several" && timeout 60 "$@") >"$scratch/text" 2>&1 || { cat "$scratch/text"; exit 1; }
    grep -q "ranks on node-a .*node-b .* by $by" "$scratch/text" || { echo "$how: not on two machines by $by"; cat "$scratch/text"; exit 1; }
    if grep "alone" "$scratch/text"; then exit 1; fi # rank 0 would have written all files
    diff -r "$scratch/one" "$scratch/several"
    [ -z "$(ls -A "$HOME/.manybody-ranks" 2>/dev/null)" ] || { echo "$how: left $(ls "$HOME/.manybody-ranks")"; exit 1; }
    echo "two machines, $how: the files of one process"
}

by_hand() { # RANKS WORDS...: in turn on both machines; the end is that of rank 0
    local ranks=$1 rank jobs=()
    shift
    for rank in $(seq $((ranks - 1))); do
        on "${machines[rank % 2]}" "$program" run "$@" --rank "$rank" --ranks "$ranks" --at node-a:4300 2>"rank-$rank.text" &
        jobs+=($!)
    done
    on node-a "$program" run "$@" --rank 0 --ranks "$ranks" --at node-a:4300 || return 1
    for job in "${jobs[@]}"; do
        wait "$job" || { cat rank-*.text >&2; return 1; }
    done
    rm rank-*.text
}
export -f by_hand on
export scratch program
machines_text=$(declare -p machines)
hand() { bash -c "$machines_text; by_hand \"\$@\"" _ "$@"; }
export -f hand
export machines_text

# shellcheck disable=SC2086 # words are words
same "4 ranks by hand" TCP bash -c 'hand "$@"' _ 4 $words --out b.hdf5
# shellcheck disable=SC2086 # words are words
MANYBODY_SHARED_FILES=1000:4096 same "3 ranks that write one file" TCP bash -c 'hand "$@"' _ 3 $words --out b.hdf5

# A link that is cut: both machines end, rank 0 names who is lost, and one process continues
cut_off() {
    local long="-n 3000 --dt 1/256 --eps 1/32 --snapshot-every 1/64 --audit 0 --threads 1" first second start
    mkdir "$scratch/cut"
    cd "$scratch/cut"
    # shellcheck disable=SC2086 # words are words
    timeout 60 "$scratch/on" node-b "$program" run $long --t-end 16 --out b.hdf5 --rank 1 --ranks 2 --at node-a:4300 >text-1 2>&1 &
    second=$!
    # shellcheck disable=SC2086 # words are words
    timeout 60 "$scratch/on" node-a "$program" run $long --t-end 16 --out b.hdf5 --rank 0 --ranks 2 --at node-a:4300 >text-0 2>&1 &
    first=$!
    for _ in $(seq 600); do
        [ ! -e b.0002.hdf5 ] || break
        sleep 0.05
    done
    ip -n "${names[0]}" link set link-a down
    start=$SECONDS
    wait $first && { echo "a link that is cut was no failure"; exit 1; }
    wait $second && { echo "a link that is cut was no failure"; exit 1; }
    [ $((SECONDS - start)) -le 6 ] || { echo "a link that is cut: all ended after $((SECONDS - start)) s"; exit 1; }
    grep -q "rank 1" text-0 || { cat text-0; exit 1; }
    grep -q "rank 0" text-1 || { cat text-1; exit 1; }
    "$program" run --resume b.0001.hdf5 --t-end 3/64 --quiet --out c.hdf5
    # shellcheck disable=SC2086 # words are words
    "$program" run $long --t-end 3/64 --quiet --out c1.hdf5
    cmp c.hdf5 c1.hdf5
    cd - >/dev/null
    ip -n "${names[0]}" link set link-a up
    echo "two machines, a link that is cut: both end within 6 s, and name the other"
}
cut_off

# Ranks by mpirun, which starts its helpers on the machines by the agent as it does by ssh
for launcher in mpirun.openmpi mpirun.mpich; do
    command -v $launcher >/dev/null || echo "no $launcher is here, and it was not tried"
done
if command -v mpirun.openmpi >/dev/null; then
    open=(env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$scratch/on" node-a mpirun.openmpi --oversubscribe
        --mca plm_rsh_agent "$scratch/agent" --mca btl tcp,self --host node-a:2,node-b:2 -n 4)
    # shellcheck disable=SC2086 # words are words
    same "4 ranks by mpirun (Open MPI)" TCP "${open[@]}" "$program" run $words --out b.hdf5
    if [ -n "$with_mpi" ] && ldd "$with_mpi" | grep 'libmpi\.so' >/dev/null; then
        # shellcheck disable=SC2086 # words are words
        same "4 ranks by mpirun through MPI (Open MPI)" MPI "${open[@]}" "$with_mpi" run $words --out b.hdf5
    fi
fi
if command -v mpirun.mpich >/dev/null; then
    # shellcheck disable=SC2086 # words are words
    same "4 ranks by mpirun (MPICH)" TCP "$scratch/on" node-a mpirun.mpich -launcher ssh -launcher-exec "$scratch/agent" \
        -hosts node-a:2,node-b:2 -n 4 "$program" run $words --at node-a:4301 --out b.hdf5
fi

# Slurm of two nodes; ranks by srun, and SIGTERM to a job before its time is over
if ! { command -v slurmctld && command -v slurmd; } >/dev/null; then
    echo "no Slurm is here, and srun was not tried"
else
    export SLURM_CONF=$scratch/slurm.conf
    cat >"$SLURM_CONF" <<END
ClusterName=two
SlurmctldHost=node-a(${addresses[0]})
SlurmUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
StateSaveLocation=$scratch/slurm
SlurmdSpoolDir=$scratch/slurmd-%n
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd-%n.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd-%n.log
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
NodeName=node-a NodeAddr=${addresses[0]} CPUs=2
NodeName=node-b NodeAddr=${addresses[1]} CPUs=2
PartitionName=all Nodes=ALL Default=YES State=UP
END
    mkdir "$scratch/slurm"
    on node-a slurmctld -D >"$scratch/slurmctld.out" 2>&1 &
    for machine in "${machines[@]}"; do
        on "$machine" slurmd -D -N "$machine" >"$scratch/slurmd-$machine.out" 2>&1 &
    done
    for _ in $(seq 200); do
        [ "$(on node-a sinfo -h -t idle -o %D 2>/dev/null)" != 2 ] || break
        sleep 0.1
    done
    [ "$(on node-a sinfo -h -t idle -o %D)" = 2 ] || { cat "$scratch"/slurm*.out "$scratch"/slurm*.log; exit 1; }
    # shellcheck disable=SC2086 # words are words
    same "4 ranks by srun" TCP "$scratch/on" node-a srun --nodes 2 --ntasks 4 "$program" run $words --out b.hdf5
    # shellcheck disable=SC2086 # words are words
    MANYBODY_SHARED_FILES=1000:4096 same "4 ranks by srun that write one file" TCP \
        "$scratch/on" node-a srun --nodes 2 --ntasks 4 "$program" run $words --out b.hdf5

    # the job of docs/clusters, with a shorter run: SIGTERM, as before its time is over, and the same job again
    mkdir "$scratch/job" "$scratch/bin"
    ln -s "$program" "$scratch/bin/manybody"
    run="--ic king --w0 7 -n 262144 --t-end 10 --snapshot-every 1/4"
    short="-n 3000 --dt 1/512 --t-end 1 --snapshot-every 1/64 --audit 0"
    grep -q -e "$run" docs/clusters/slurm.sh
    sed "s|$run|$short|; s|/.manybody-ranks|/ranks|" docs/clusters/slurm.sh >"$scratch/job/slurm.sh"
    cd "$scratch/job"
    batch() {
        timeout 120 "$scratch/on" node-a env PATH="$scratch/bin:$PATH" sbatch --wait --cpus-per-task 1 slurm.sh >>sbatch.text 2>&1
    }
    batch &
    job=$!
    for _ in $(seq 600); do
        [ ! -e b.0002.hdf5 ] || break
        sleep 0.05
    done
    on node-a scancel --signal=TERM --name manybody # as --signal=TERM@60 does: to the steps
    wait $job && { echo "a job that was stopped ended well"; cat slurm-*.out; exit 1; }
    [ ! -e b.hdf5 ] || { echo "a job that was stopped went to its end"; exit 1; }
    batch || { echo "the job did not go on"; cat slurm-*.out; exit 1; }
    # shellcheck disable=SC2086 # words are words
    "$program" run $short --threads 1 --quiet --out c.hdf5
    cmp b.hdf5 c.hdf5
    cd - >/dev/null
    echo "two machines, a job of Slurm that is stopped by SIGTERM: the same job again has the file of one process"
fi
