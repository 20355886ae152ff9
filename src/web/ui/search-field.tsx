// A search that is made when typing pauses, and keeps up with the URL that holds it.
import { useEffect, useRef, useState } from 'react';

/** How long typing must pause before it is searched for, ms. */
const typingMs = 250;

interface Props {
  label: string;
  q: string;
  onSearch: (q: string) => void;
}

export function SearchField({ label, q, onSearch }: Props) {
  const [text, setText] = useState(q);
  const typed = useRef(false);
  const latest = useRef(onSearch);
  latest.current = onSearch;
  useEffect(() => {
    if (!typed.current) setText(q);
  }, [q]);
  useEffect(() => {
    if (!typed.current) return;
    const timer = setTimeout(() => {
      typed.current = false;
      latest.current(text);
    }, typingMs);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      className="input search"
      type="search"
      aria-label={label}
      placeholder={`${label}…`}
      value={text}
      onChange={(event) => {
        typed.current = true;
        setText(event.target.value);
      }}
    />
  );
}
