#!/usr/bin/env bash
# need.sh PROGRAM makes sure that PROGRAM can be run. Where it is missing, root on a Debian or Ubuntu gets its
# packages; everybody else is told what to install, because that is theirs to decide.
set -euo pipefail
program=$1
case $program in
chromium) packages="chromium fonts-dejavu-core" ;;
gcc) packages="gcc libc6-dev" ;;
java) packages=openjdk-17-jre-headless ;;
node) packages=nodejs ;;
python3) packages="python3 python3-venv" ;;
qemu-aarch64) packages=qemu-user ;;
*) packages=$program ;;
esac
if command -v "$program" >/dev/null; then
	exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "Installing $packages ($program is missing)"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	# shellcheck disable=SC2086 # packages is a list
	apt-get install -y -qq --no-install-recommends $packages >/dev/null
	exit 0
fi
echo "$program is missing. Please install it (Debian, Ubuntu: apt-get install $packages) and run make again." >&2
exit 1
