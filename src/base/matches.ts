const LONGEST = 4_096;

/**
 * Does a pattern match a name of a trace? Only the first 4,096 characters are looked at: names are untrusted, and some patterns take very
 * long on long text. `pattern` must not be global.
 */
export const matchesName = (pattern: RegExp, name: string): boolean =>
  pattern.test(name.length > LONGEST ? name.slice(0, LONGEST) : name);
