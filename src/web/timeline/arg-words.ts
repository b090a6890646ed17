/** What a row's args say that is worth a line of its own. Args as pairs of name and value, as `EventDetails` has them. */

type Args = readonly (readonly [name: string, value: string])[];

const MOST = 600;

/** `all_reduce of 1,048,576 BFloat16 in a group of 8`; `undefined` where the row is no collective. */
export function collectiveText(args: Args): string | undefined {
  const of = new Map(args);
  const name = of.get('Collective name');
  if (name === undefined) return undefined;
  const sent = of.get('In msg nelems');
  const received = of.get('Out msg nelems');
  const type = of.get('dtype') ?? 'elements';
  const amount =
    sent === undefined
      ? ''
      : received === undefined || received === sent
        ? ` of ${grouped(sent)} ${type}`
        : ` of ${grouped(sent)} ${type} to ${grouped(received)}`;
  const size = of.get('Group size');
  const group = of.get('Process Group Description') ?? of.get('Process Group Name');
  const ranks = of.get('Process Group Ranks');
  const told = [
    ...(size === undefined ? [] : [`in a group of ${grouped(size)}`]),
    ...(group === undefined || group === '' ? [] : [`(${group})`]),
    ...(ranks === undefined || ranks === '' ? [] : [`of ranks ${ranks}`]),
  ];
  return [`${name}${amount}`, ...told].join(' ').slice(0, MOST);
}

/** `Input Dims` and `Input type`; `undefined` where shapes were not recorded. */
export function shapesText(args: Args): string | undefined {
  const of = new Map(args);
  const dims = of.get('Input Dims') ?? of.get('Input dims');
  if (dims === undefined) return undefined;
  const types = of.get('Input type');
  return `${dims}${types === undefined ? '' : ` of ${types}`}`.slice(0, MOST);
}

const grouped = (digits: string): string => (/^\d+$/.test(digits) ? digits.replace(/\B(?=(\d{3})+$)/g, ',') : digits);
