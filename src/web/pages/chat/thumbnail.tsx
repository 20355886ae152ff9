// An attached picture, small: fetched when it comes into view, and kept at the size at which it is shown.
import { useEffect, useRef, useState } from 'react';
import { client } from '../../state/app.ts';
import { Icon } from '../../ui/icon.tsx';

/** Shown size in CSS pixels, which is fixed, so that nothing moves when the picture comes. */
const [width, height] = [112, 84];
/** Pixels for each of them, for dense screens. */
const density = 2;

/** The picture fills the box and is cut at its sides; of its own pixels no more than are shown are kept. */
async function draw(canvas: HTMLCanvasElement, blob: Blob): Promise<void> {
  const picture = await createImageBitmap(blob, { resizeWidth: width * density, resizeQuality: 'medium' });
  const scale = Math.max(1, (height * density) / picture.height);
  const [wide, high] = [picture.width * scale, picture.height * scale];
  Object.assign(canvas, { width: width * density, height: height * density });
  const [left, top] = [(canvas.width - wide) / 2, (canvas.height - high) / 2];
  canvas.getContext('2d')?.drawImage(picture, left, top, wide, high);
  picture.close();
}

interface Props {
  messageId: number;
  index: number;
  name: string;
  onOpen: () => void;
}

export function Thumbnail({ messageId, index, name, onOpen }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [state, setState] = useState<'waiting' | 'shown' | 'failed'>('waiting');
  useEffect(() => {
    const box = canvas.current;
    if (!box) return;
    const gone = new AbortController();
    const load = async () => {
      const answer = await client.chat.attachment({ params: { messageId, index }, signal: gone.signal });
      await draw(box, await answer.blob());
      setState('shown');
    };
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((one) => one.isIntersecting)) return;
      seen.disconnect();
      load().catch(() => gone.signal.aborted || setState('failed'));
    });
    seen.observe(box);
    return () => {
      seen.disconnect();
      gone.abort();
    };
  }, [messageId, index]);
  return (
    <button type="button" className="thumbnail" aria-label={name} data-state={state} onClick={onOpen}>
      <canvas ref={canvas} />
      {state !== 'shown' && <Icon name="image" />}
    </button>
  );
}
