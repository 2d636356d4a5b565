;; The innermost loop of products of matrices (src/loops/tile.rs) with fused multiply-add, which a module may hold only
;; where the browser has relaxed SIMD: so it is a module of its own, on the memory of the crate's.
;; fused.wasm is this file assembled; tests/js/fused.test.js holds it to that.
(module
  (import "crate" "memory" (memory 0))

  ;; So many tiles of four rows and eight columns, one below the other: out = start + left · right. Steps are bytes from row
  ;; to row. Left: [tiles, terms, 4]. Right: [terms, 8].
  (func (export "add")
    (param $tiles i32) (param $terms i32) (param $left i32) (param $right i32)
    (param $start i32) (param $start_step i32) (param $out i32) (param $out_step i32)
    (local $term i32) (local $at i32)
    (local $first v128) (local $second v128) (local $value v128)
    (local $a0 v128) (local $b0 v128)
    (local $a1 v128) (local $b1 v128)
    (local $a2 v128) (local $b2 v128)
    (local $a3 v128) (local $b3 v128)
    (block $done
      (loop $tile
        (br_if $done (i32.eqz (local.get $tiles)))

        (local.set $a0 (v128.load (local.get $start)))
        (local.set $b0 (v128.load offset=16 (local.get $start)))
        (local.set $start (i32.add (local.get $start) (local.get $start_step)))
        (local.set $a1 (v128.load (local.get $start)))
        (local.set $b1 (v128.load offset=16 (local.get $start)))
        (local.set $start (i32.add (local.get $start) (local.get $start_step)))
        (local.set $a2 (v128.load (local.get $start)))
        (local.set $b2 (v128.load offset=16 (local.get $start)))
        (local.set $start (i32.add (local.get $start) (local.get $start_step)))
        (local.set $a3 (v128.load (local.get $start)))
        (local.set $b3 (v128.load offset=16 (local.get $start)))
        (local.set $start (i32.add (local.get $start) (local.get $start_step)))

        (local.set $at (local.get $right))
        (local.set $term (local.get $terms))
        (block $added
          (br_if $added (i32.eqz (local.get $term)))
          (loop $next
            (local.set $first (v128.load (local.get $at)))
            (local.set $second (v128.load offset=16 (local.get $at)))
            (local.set $value (v128.load32_splat (local.get $left)))
            (local.set $a0 (f32x4.relaxed_madd (local.get $value) (local.get $first) (local.get $a0)))
            (local.set $b0 (f32x4.relaxed_madd (local.get $value) (local.get $second) (local.get $b0)))
            (local.set $value (v128.load32_splat offset=4 (local.get $left)))
            (local.set $a1 (f32x4.relaxed_madd (local.get $value) (local.get $first) (local.get $a1)))
            (local.set $b1 (f32x4.relaxed_madd (local.get $value) (local.get $second) (local.get $b1)))
            (local.set $value (v128.load32_splat offset=8 (local.get $left)))
            (local.set $a2 (f32x4.relaxed_madd (local.get $value) (local.get $first) (local.get $a2)))
            (local.set $b2 (f32x4.relaxed_madd (local.get $value) (local.get $second) (local.get $b2)))
            (local.set $value (v128.load32_splat offset=12 (local.get $left)))
            (local.set $a3 (f32x4.relaxed_madd (local.get $value) (local.get $first) (local.get $a3)))
            (local.set $b3 (f32x4.relaxed_madd (local.get $value) (local.get $second) (local.get $b3)))
            (local.set $at (i32.add (local.get $at) (i32.const 32)))
            (local.set $left (i32.add (local.get $left) (i32.const 16)))
            (br_if $next (local.tee $term (i32.sub (local.get $term) (i32.const 1))))))

        (v128.store (local.get $out) (local.get $a0))
        (v128.store offset=16 (local.get $out) (local.get $b0))
        (local.set $out (i32.add (local.get $out) (local.get $out_step)))
        (v128.store (local.get $out) (local.get $a1))
        (v128.store offset=16 (local.get $out) (local.get $b1))
        (local.set $out (i32.add (local.get $out) (local.get $out_step)))
        (v128.store (local.get $out) (local.get $a2))
        (v128.store offset=16 (local.get $out) (local.get $b2))
        (local.set $out (i32.add (local.get $out) (local.get $out_step)))
        (v128.store (local.get $out) (local.get $a3))
        (v128.store offset=16 (local.get $out) (local.get $b3))
        (local.set $out (i32.add (local.get $out) (local.get $out_step)))

        (local.set $tiles (i32.sub (local.get $tiles) (i32.const 1)))
        (br $tile)))))
