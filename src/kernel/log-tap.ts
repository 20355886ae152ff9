// Holds log lines until they are kept: the logger puts them in, whoever stores them takes them out.

/** What is known of a line without reading it. */
export interface LineFacts {
  tenant: number | null;
  level: number;
  domain: string;
}

/** A line as it was written, newline included; its facts where its writer knew them. */
export interface TappedLine {
  text: string;
  facts: LineFacts | null;
}

export interface LogTap {
  put(text: string, facts: LineFacts | null): void;
  /** Takes everything out. */
  take(): { lines: TappedLine[]; dropped: number };
  /** Puts lines back that could not be kept, before those that came meanwhile. */
  putBack(lines: readonly TappedLine[]): void;
  /** Called when the first line comes after `take`, and when much waits. */
  whenFilled(called: (isMuch: boolean) => void): void;
}

/** Characters that wait at most; what comes then is dropped and counted. */
const mostCharacters = 16 * 2 ** 20;
const muchCharacters = 2 ** 20;

export function createLogTap(): LogTap {
  let lines: TappedLine[] = [];
  let characters = 0;
  let dropped = 0;
  let called: (isMuch: boolean) => void = () => {};

  return {
    put(text, facts) {
      if (characters + text.length > mostCharacters) {
        dropped++;
        return;
      }
      const before = characters;
      lines.push({ text, facts });
      characters += text.length;
      if (before === 0) called(false);
      else if (before < muchCharacters && characters >= muchCharacters) called(true);
    },
    take() {
      const taken = { lines, dropped };
      lines = [];
      characters = 0;
      dropped = 0;
      return taken;
    },
    putBack(old) {
      const room = old.filter(({ text }) => {
        if (characters + text.length > mostCharacters) {
          dropped++;
          return false;
        }
        characters += text.length;
        return true;
      });
      lines = [...room, ...lines];
    },
    whenFilled(listener) {
      called = listener;
      if (characters > 0) called(characters >= muchCharacters);
    },
  };
}
