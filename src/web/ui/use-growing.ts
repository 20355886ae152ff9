// A box of text that grows with what is written, also where style sheets cannot have it do so, as in Safari before 26.2.
import { type RefObject, useLayoutEffect } from 'react';

export function useGrowing(box: RefObject<HTMLTextAreaElement | null>, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    const area = box.current;
    if (!area || CSS.supports('field-sizing', 'content')) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
  }, [box, text]);
}
