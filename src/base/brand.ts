declare const brand: unique symbol;

/** A primitive that carries a name in its type, so that two numbers of different meaning do not mix. No cost at run time. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
