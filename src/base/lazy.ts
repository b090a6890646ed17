/**
 * `target`, of which the fields that `make` names are made when they are first read: for what many readers of an answer never look at. In
 * `target` they stand for their places, with any value. (Getters in a literal do not keep their places in V8.)
 */
export function lazyFields<T extends object>(target: T, make: { readonly [Key in keyof T]?: () => T[Key] }): T {
  for (const key of Object.keys(make) as (keyof T & string)[]) {
    Object.defineProperty(target, key, {
      enumerable: true,
      configurable: true,
      get() {
        const value = make[key]?.();
        Object.defineProperty(target, key, { enumerable: true, configurable: true, writable: true, value });
        return value;
      },
    });
  }
  return target;
}

/** What `make` makes, made when it is first asked for. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
