#!/usr/bin/env bash
# need.sh PROGRAM PACKAGE... makes sure that PROGRAM can be run. Where it is missing, root on a Debian or
# Ubuntu gets the packages; everybody else is told what to install, because that is theirs to decide.
set -euo pipefail
program=$1
shift
if command -v "$program" >/dev/null; then
	exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "Installing $* ($program is missing)"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends "$@" >/dev/null
	exit 0
fi
echo "$program is missing. Please install it (Debian, Ubuntu: apt-get install $*) and run make again." >&2
exit 1
