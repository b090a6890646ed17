/** How many random cases a property is tried on: `few` by `npm test`, `many` by `npm run test:full`. */
export const seeds = (few: number, many: number): number =>
  process.env['LONGPOLE_ALL_SEEDS'] === undefined ? few : many;
