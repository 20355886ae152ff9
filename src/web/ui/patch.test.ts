import { expect, it } from 'vitest';
import { readPatch } from './patch.ts';

const patch = `diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@ head
 one
-two
+zwei
 three
diff --git a/old name.txt b/new name.txt
similarity index 90%
@@ -9 +10 @@
--- looks like a header but is a removed line
`;

it('reads files, hunks and line numbers of a unified diff', () => {
  const [first, second] = readPatch(patch);
  expect(first).toMatchObject({
    path: 'a.txt',
    hunks: [
      {
        lines: [
          { kind: 'same', text: 'one', before: 1, after: 1 },
          { kind: 'removed', text: 'two', before: 2, after: null },
          { kind: 'added', text: 'zwei', before: null, after: 2 },
          { kind: 'same', text: 'three', before: 3, after: 3 },
        ],
      },
    ],
  });
  expect(second).toMatchObject({
    path: 'new name.txt',
    hunks: [{ lines: [{ kind: 'removed', text: '-- looks like a header but is a removed line' }] }],
  });
});
