// Code that a model wrote, at work: in a page without an origin, which may load and send nothing.
import { useEffect, useRef, useState } from 'react';
import { t } from '../../base/i18n.ts';

/** A page that is being written is shown anew at most this often, ms. */
const renewMs = 1000;

/** The newest value, renewed at most once in a while; the last one always comes. */
function useSlowed<T>(value: T): T {
  const [shown, setShown] = useState(value);
  const last = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, last.current + renewMs - Date.now());
    const timer = setTimeout(() => {
      last.current = Date.now();
      setShown(value);
    }, wait);
    return () => clearTimeout(timer);
  }, [value]);
  return shown;
}

export function ArtifactFrame({ html, title }: { html: string; title: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  const shown = useSlowed(html);
  useEffect(() => {
    // The page has no origin that could be named; nobody but the server can have put another in its place.
    if (isReady) frame.current?.contentWindow?.postMessage({ html: shown }, '*');
  }, [isReady, shown]);
  return (
    <iframe
      ref={frame}
      className="artifact-frame"
      title={t('Preview of {name}', { name: title })}
      src="./artifact.html"
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      onLoad={() => setReady(true)}
    />
  );
}
