#!/usr/bin/env bash
# A Slurm of two nodes on this machine, on loopback, for tests: from Debian's slurmctld, slurmd and munge. As root.
#   scripts/slurm/local-slurm.sh start DIR   starts it, with all of its state in DIR; SLURM_CONF=DIR/slurm.conf is then that cluster
#   scripts/slurm/local-slurm.sh stop DIR    ends what was started from DIR
set -euo pipefail

action=${1:?start or stop}
dir=$(realpath -m "${2:?a folder for its state}")
nodes=(lp1 lp2)
# Three ports that another Slurm of this kind will hardly have.
first_port=$((21000 + $$ % 3000 * 3))

start() {
  mkdir -p "$dir"/{state,spool-lp1,spool-lp2,log}
  chmod 755 "$dir"
  dd if=/dev/urandom of="$dir/munge.key" bs=64 count=1 status=none
  chmod 600 "$dir/munge.key"
  # --force: it would rather not run as root.
  munged --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" \
    --log-file="$dir/log/munged" --seed-file="$dir/munge.seed" 2>"$dir/log/munged.start"
  write_conf >"$dir/slurm.conf"
  export SLURM_CONF="$dir/slurm.conf"
  slurmctld -c
  for node in "${nodes[@]}"; do slurmd -N "$node"; done
  # Until both nodes have registered; sinfo itself waits for the controller.
  for _ in $(seq 100); do
    if [ "$(sinfo --noheader --states=idle --format=%D 2>/dev/null | head -1)" = "${#nodes[@]}" ]; then return 0; fi
    sleep 0.2
  done
  echo "local-slurm: the nodes did not come up; see $dir/log" >&2
  sinfo >&2 || true
  return 1
}

write_conf() {
  cat <<CONF
ClusterName=longpole
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
SlurmctldPort=$((first_port + 2))
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/log/slurmctld
SlurmdLogFile=$dir/log/slurmd-%n
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
MpiDefault=none
KillWait=2
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=100000
CONF
  local port=$first_port
  for node in "${nodes[@]}"; do
    echo "NodeName=$node NodeAddr=127.0.0.1 NodeHostname=localhost Port=$port CPUs=1 RealMemory=2000 State=UNKNOWN"
    port=$((port + 1))
  done
  echo "PartitionName=local Nodes=$(IFS=,; echo "${nodes[*]}") Default=YES MaxTime=10 State=UP"
}

stop() {
  # Each by the id that it wrote down itself.
  for file in "$dir"/slurmd-lp1.pid "$dir"/slurmd-lp2.pid "$dir"/slurmctld.pid "$dir"/munged.pid; do
    if [ -s "$file" ]; then kill "$(cat "$file")" 2>/dev/null || true; fi
  done
}

case "$action" in
  start) start ;;
  stop) stop ;;
  *) echo "usage: local-slurm.sh start|stop DIR" >&2; exit 2 ;;
esac
