;; Products of a question with the rows of a matrix: 16 codes of 8 bits a step against a question of 16 bits.
;; `scan.ts` holds it assembled, and its test assembles this file again.
(module
  ;; Shared, for what scan.ts says; at most 2 GiB.
  (memory (export "memory") 17 32768 shared)
  (func (export "scan") (param $query i32) (param $codes i32) (param $rows i32) (param $width i32) (param $out i32)
    (local $end i32) (local $at i32) (local $row_end i32) (local $sum v128) (local $part v128)
    (local.set $end (i32.add (local.get $codes) (i32.mul (local.get $rows) (local.get $width))))
    (block $done
      (loop $rows_loop
        (br_if $done (i32.ge_u (local.get $codes) (local.get $end)))
        (local.set $at (local.get $query))
        (local.set $row_end (i32.add (local.get $codes) (local.get $width)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (loop $row
          (local.set $part (v128.load (local.get $codes)))
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $part)) (v128.load (local.get $at)))))
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $part)) (v128.load offset=16 (local.get $at)))))
          (local.set $at (i32.add (local.get $at) (i32.const 32)))
          (local.set $codes (i32.add (local.get $codes) (i32.const 16)))
          (br_if $row (i32.lt_u (local.get $codes) (local.get $row_end))))
        (i32.store (local.get $out)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (br $rows_loop)))))
