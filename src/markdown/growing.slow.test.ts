// A text that grows and what it would be at once.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { growingTree } from './growing.ts';
import { anyText } from './testing/attacks.ts';
import { treeOf } from './tree.ts';

it('a text that grows is what it would be at once, however it comes', () => {
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 6 }), (pieces) => {
      const grow = growingTree();
      let text = '';
      for (const piece of pieces) {
        text += piece;
        // Definitions of links are for all of a text: while one grows, those that are whole stay as they are.
        if (/^ {0,3}\[[^\]]+\]:/m.test(text.replaceAll(/^[>\s\d.)*-]+/gm, ''))) return;
        expect(grow(text)).toEqual(treeOf(text));
      }
    }),
    { numRuns: 500 },
  );
});
