#!/usr/bin/env bash
# Everything that needs a real device, in one call of less than ten minutes, however slow it is:
#
#   make gpu-device                                  # on a machine with Go and g++
#   bash gpu/device.sh .lab/out/gpu/device RESULTS   # on the machine with the device, which needs neither
#
# The first folder holds gpu.test and mnist/; results are written to the second.
set -uo pipefail
here=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
test=$here/gpu.test
chmod +x "$test"
export OBLIQUA_DATA=$here OBLIQUA_KEPT=$out/kept PATH=$PATH:/usr/local/cuda/bin
mkdir -p "$OBLIQUA_KEPT"
cd "$(dirname "$0")" # tests read kernels/

# The limits of all steps sum to 555 seconds. No step runs beyond 570, whatever came before.
end=570

# step NAME SECONDS COMMAND... writes what the command prints to NAME.txt.
step() {
	local name=$1 seconds=$2 start=$SECONDS
	shift 2
	((seconds <= end - SECONDS)) || seconds=$((end - SECONDS))
	if ((seconds <= 0)); then
		echo "$name: no time was left" | tee -a "$out/summary.txt"
		return
	fi
	timeout "$seconds" "$@" >"$out/$name.txt" 2>&1
	echo "$name: exit status $?, $((SECONDS - start)) of $seconds seconds" | tee -a "$out/summary.txt"
}

{
	date -u '+%Y-%m-%d %H:%M UTC'
	cat "$here/commit.txt"
	nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.max.sm --format=csv,noheader
	grep -m1 'model name' /proc/cpuinfo
	nproc
} >"$out/machine.txt" 2>&1

step tests 75 "$test" -test.v -test.run 'Test(SameBits|Sides|Bounds|Draw|Gains|Best|Step|Cancellation|Overflow|Batches|NoRows|Concurrent|Errors|Reopen|LoadedForestAndView|Sensitivity|ScannerGivesTheSameFile|ManyRows)$'
some='^(TestSides|TestBounds|TestDraw|TestGains|TestBest|TestStep|TestSameBits)$/^(rf_impure|sporf_wide|tao_linear|gqrf|quadratic|graf|rf_sum_of_four_classes)$'
if command -v compute-sanitizer >/dev/null; then
	step memcheck 45 compute-sanitizer --tool memcheck --error-exitcode 9 "$test" -test.run "$some"
	step racecheck 45 compute-sanitizer --tool racecheck --error-exitcode 9 "$test" -test.run "$some"
else
	echo 'memcheck, racecheck: compute-sanitizer is missing' | tee -a "$out/summary.txt"
fi
for cores in 16 2; do
	export GOMAXPROCS=$cores
	step "grow$cores" 60 "$test" -test.run '^$' -test.bench Grow -test.benchtime 1x
	step "predict$cores" 105 "$test" -test.run '^$' -test.bench 'Open|Copy|Predict' -test.benchtime $((cores > 2 ? 3 : 1))x
done
step steps 30 "$test" -test.run '^$' -test.bench Step -test.benchtime 20x
if command -v ncu >/dev/null; then
	step ncu 30 ncu --set basic --launch-count 40 "$test" -test.run '^$' -test.bench '(Predict|Step)/(sporf_20|graf_784|rows=4400)(/device)?$' -test.benchtime 1x
else
	echo 'ncu: missing' | tee -a "$out/summary.txt"
fi
rm -r "$OBLIQUA_KEPT"
cat "$out/summary.txt"
