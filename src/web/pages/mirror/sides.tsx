// Two texts to compare.
type Side = readonly [title: string, text: string];

/** Two texts beside each other; one below the other on a phone. */
export const Sides = ({ left, right }: { left: Side; right: Side }) => (
  <div className="sides">
    {[left, right].map(([title, text]) => (
      <section key={title} aria-label={title}>
        <h2>{title}</h2>
        <p>{text || '–'}</p>
      </section>
    ))}
  </div>
);
