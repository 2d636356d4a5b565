#!/bin/sh
# rustc for `cargo build` in this folder (RUSTC_WRAPPER): what reads input is instrumented, so that libFuzzer sees the ways
# it goes. Burn is not: its branches tell nothing of the input, and a build with them takes many times as long.
case " $* " in
  *" --crate-name synthattn "* | *" --crate-name synthattn_loops "* | *" --crate-name "*" targets/"*)
    exec "$@" --cfg fuzzing -Cpasses=sancov-module -Ccodegen-units=1 \
      -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
      -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
      -Cllvm-args=-simplifycfg-branch-fold-threshold=0
    ;;
  *) exec "$@" ;;
esac
