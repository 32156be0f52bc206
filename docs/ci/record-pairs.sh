#!/bin/sh
# Records two commits of a program on one machine, run by run beside each other: base, head, head, base, …
# Machines differ, and one machine differs from hour to hour: of a pair both sides have the same.
#
#   record-pairs.sh BASE HEAD PAIRS SECONDS OUT BUILD START
#
# BASE, HEAD  commits of the repository of the current folder
# OUT         folder for base-1.pb.gz, head-1.pb.gz, base-2.pb.gz, ...
# BUILD       builds the program; a shell runs it once for each commit, in a checkout of that commit
# START       starts the program under load, in the same folder: a shell's `exec` of the VM is best
#
# START finds the name of a file in WORK_COUNTER. Where it writes there, again and again, how many units of its work
# it has done (one number, in a new file that takes the place of the old one), captures tell the processor time of
# a unit: `diff --measure work`. Without it a program that always takes all of a processor looks equally slow at
# every commit. benchmark.erl, beside this file, is such a program. The first capture begins when there is a number, or
# after 30 seconds; if there was one, each other capture needs one, too. With COUNTS=yes each waits for its number for as
# long as START runs.
#
# In the environment:
#   EXTROSPECT        the helper, as words: `sudo -n /usr/local/libexec/extrospect/extrospect` [extrospect]
#   RECORD_ARGUMENTS  more arguments for `record`, parted by spaces: `-F 997`; `--work-...` instead of WORK_COUNTER
#   COUNTS            `yes`: START counts its work, however late on a busy machine
#   WARM_UP           seconds from the first unit of work, or from the start of the VM, to the start of a capture [2]
set -eu

if [ "$#" -ne 7 ]; then
  echo "usage: record-pairs.sh BASE HEAD PAIRS SECONDS OUT BUILD START" >&2
  exit 2
fi
base=$1 head=$2 pairs=$3 seconds=$4 out=$5 build=$6 start=$7
for number in "$pairs" "$seconds"; do
  case $number in
    '' | *[!0-9]* | 0*)
      echo "record-pairs.sh: $number is no number of pairs or seconds" >&2
      exit 2
      ;;
  esac
done
# Whether START counts its work: `promised` by the caller, or known after the first capture, and not asked where something
# else counts it.
case ${COUNTS:-} in
  yes) counts=promised ;;
  '') counts=unknown ;;
  *)
    echo "record-pairs.sh: COUNTS is $COUNTS, and neither yes nor empty" >&2
    exit 2
    ;;
esac
# full_name COMMIT: git takes what begins with a dash for an option.
full_name() {
  case $1 in
    -*)
      echo "record-pairs.sh: $1 is no name of a commit" >&2
      exit 2
      ;;
  esac
  if ! git rev-parse --verify --quiet "$1^{commit}"; then
    echo "record-pairs.sh: there is no commit $1 here" >&2
    exit 128
  fi
}
base=$(full_name "$base")
head=$(full_name "$head")
extrospect=${EXTROSPECT:-extrospect}
case $out in
  /*) ;;
  *) out=./$out ;;
esac
mkdir -p "$out"
out=$(cd "$out" && pwd)
# Not below the repository: its tools would take the checkouts for parts of it.
work=$(mktemp -d)
WORK_COUNTER=$work/counter
export WORK_COUNTER
pid=
case " ${RECORD_ARGUMENTS:-}" in
  *" --work-"*) counts=no ;;
esac

# end_group SIGNAL: START may have started more than the VM. dash needs the `--`, which BusyBox does not know.
end_group() {
  kill -s "$1" -- "-$pid" 2>/dev/null || kill -s "$1" "-$pid" 2>/dev/null || true
}

stop() {
  [ -n "$pid" ] || return 0
  end_group TERM
  # A VM that does not end by itself within ten seconds is ended. No process that waits for that is left behind.
  tries=0
  while [ "$tries" -lt 100 ] && is_alive "$pid"; do
    tries=$((tries + 1))
    sleep 0.1
  done
  end_group KILL
  wait "$pid" 2>/dev/null || true
  pid=
}

clean_up() {
  stop
  git worktree remove --force "$work/base" 2>/dev/null || true
  git worktree remove --force "$work/head" 2>/dev/null || true
  rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# is_alive PROCESS: and no zombie, which its parent has not asked for yet.
is_alive() {
  read -r _ _ state _ 2>/dev/null <"/proc/$1/stat" && [ "$state" != Z ]
}

# vm_of GROUP: the process id of the VM of that group of processes, which may still be starting.
vm_of() {
  tries=0
  while [ "$tries" -lt 60 ] && is_alive "$1"; do
    for process in /proc/[0-9]*; do
      # Process id, name in brackets, state, parent, group.
      read -r candidate _ _ _ group _ 2>/dev/null <"$process/stat" || continue
      [ "$group" = "$1" ] || continue
      case $(readlink "$process/exe" 2>/dev/null) in
        */beam | */beam.*)
          echo "$candidate"
          return 0
          ;;
      esac
    done
    tries=$((tries + 1))
    sleep 1
  done
  return 1
}

# has_counter: a VM on a busy machine needs a while for its first unit of work.
has_counter() {
  [ "$counts" != no ] || return 1
  tries=0
  while { [ "$counts" = promised ] || [ "$tries" -lt 300 ]; } && is_alive "$pid"; do
    if [ -s "$WORK_COUNTER" ]; then
      [ "$counts" = promised ] || counts=yes
      return 0
    fi
    tries=$((tries + 1))
    sleep 0.1
  done
  if [ "$counts" != unknown ]; then
    echo "record-pairs.sh: START has counted no work this time, see $log" >&2
    exit 1
  fi
  counts=no
  return 1
}

# record SIDE NUMBER: a VM of its own for each capture.
record() {
  echo "record-pairs.sh: $1 $2 of $pairs"
  rm -f "$WORK_COUNTER"
  log=$out/$1-$2.log
  # A group of its own, that can be ended as a whole.
  (cd "$work/$1" && exec setsid sh -c "$start" </dev/null >"$log" 2>&1) &
  pid=$!
  if ! vm=$(vm_of "$pid"); then
    echo "record-pairs.sh: START has started no VM, see $log" >&2
    exit 1
  fi
  set -- record "$vm" -d "$seconds" -o "$out/$1-$2.pb.gz" --force --source-dir "$work/$1"
  if has_counter; then
    set -- "$@" --work-name units --work-command "cat '$WORK_COUNTER'"
  fi
  sleep "${WARM_UP:-2}"
  # shellcheck disable=SC2086 # Words are parted on purpose.
  $extrospect "$@" ${RECORD_ARGUMENTS:-}
  stop
}

for side in base head; do
  commit=$base
  [ "$side" = base ] || commit=$head
  git worktree add --force --detach --quiet -- "$work/$side" "$commit"
  (cd "$work/$side" && sh -c "$build")
done

pair=1
while [ "$pair" -le "$pairs" ]; do
  # What the first run of a pair has ahead of the second, the second has in the next one.
  if [ $((pair % 2)) -eq 1 ]; then
    record base "$pair"
    record head "$pair"
  else
    record head "$pair"
    record base "$pair"
  fi
  pair=$((pair + 1))
done
