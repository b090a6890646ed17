/** The same function, which answers each object once and keeps that for as long as the object lives. */
export function once<Key extends object, Answer>(make: (key: Key) => Answer): (key: Key) => Answer {
  const known = new WeakMap<Key, { readonly answer: Answer }>();
  return (key) => {
    const kept = known.get(key) ?? { answer: make(key) };
    known.set(key, kept);
    return kept.answer;
  };
}
