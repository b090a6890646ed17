/**
 * Names of kernels, shortened for people. A compiler writes a kernel's whole signature (a median of 225 and up to 1,646 characters
 * in real traces); what a person needs of it is the kernel, the functor that it was made for, and the type.
 */

/**
 * How much of a signature is shown. 0: what a person looks for. 1: numbers, and how operands are given, too. 2: all template arguments,
 * without namespaces.
 */
type Detail = 0 | 1 | 2;

/** `a::b<…>(…)` is two parts. Text of a name, then what stands in brackets behind it. */
interface Part {
  text: string;
  /** Behind the brackets: ` const*`, `&`. */
  tail: string;
  template?: Type[];
  params?: Type[];
}
interface Type {
  readonly parts: Part[];
}

/** Types that only carry what is computed: shown with all template arguments alone. */
const CARRIERS = new Set([
  'gpu_kernel_impl',
  'gpu_kernel_impl_nocast',
  'ReduceOp',
  'func_wrapper_t',
  'Kernel',
  'Kernel2',
]);
/** Types that say how the operands of what is computed are given. */
const APPLIERS = new Set(['BinaryFunctor', 'AUnaryFunctor', 'BUnaryFunctor']);
/** Types that say how memory is walked. */
const PLUMBING =
  /^(Array|array|OffsetCalculator|TrivialOffsetCalculator|LoadWithoutCast|StoreWithoutCast|LoadWithCast|StoreWithCast|RestrictPtrTraits|nullptr)$/;
const NUMBER = /^(-?\d[\w.]*|true|false)$/;
/** Names that say nothing without their namespace. */
const GENERIC = /^(kernel|Kernel\d?|globalKernel|kentry|entry|run)$/;
const MAX_DEPTH = 8;
/** Real names have 1,646 characters at most; a hostile one may have megabytes, and what is made of each bracket is larger than it. */
const MAX_LOOKED_AT = 1 << 14;

/**
 * The name of one kernel: return type, namespaces, template and argument lists folded. What is no C++ signature (Triton, cuBLAS,
 * copies) stays as it is. Linear in the length of the name, of which no more than `MAX_LOOKED_AT` is looked at.
 */
export function shortKernelName(name: string): string {
  return render(name, 0);
}

/**
 * The names of one answer: as short as `shortKernelName`, but never the same for two kernels. Where two would be, more of their
 * template arguments is shown, and where all of them agree, the name as it was written.
 */
export function shortKernelNames(names: Iterable<string>): ReadonlyMap<string, string> {
  const short = new Map<string, string>();
  let open = [...new Set(names)];
  for (const detail of [0, 1, 2] as const) {
    const byText = new Map<string, string[]>();
    for (const name of open) {
      const text = render(name, detail);
      const same = byText.get(text);
      if (same === undefined) byText.set(text, [name]);
      else same.push(name);
    }
    open = [];
    for (const [text, same] of byText) {
      if (same.length > 1) open.push(...same);
      else short.set(same[0], text);
    }
  }
  for (const name of open) short.set(name, name);
  return short;
}

function render(name: string, detail: Detail): string {
  if (!/[<(]/.test(name)) return name;
  const kernel = findKernel(parse(name.slice(0, MAX_LOOKED_AT)));
  if (kernel === undefined) return name;
  return renderType(kernel, detail, 0) || name;
}

/** Of the words of a signature (`unsigned`, `int`, `ns::kernel<…>(…)`, `const`) the one with the argument list; else a last one with a template. */
function findKernel(words: readonly Type[]): Type | undefined {
  if (words.length === 0) return undefined;
  const called = words.find(({ parts }) => {
    const last = parts[parts.length - 1];
    return last.params !== undefined && (isOperator(last) ? parts.length > 1 : last.text !== '');
  });
  if (called !== undefined) return called;
  const last = words[words.length - 1];
  return last.parts.some(({ template }) => template !== undefined) ? last : undefined;
}

/** One pass with a stack of its own: names nest deeply in C++, and a hostile one may nest without end. */
function parse(name: string): Type[] {
  const words: Type[] = [newType()];
  const stack: { readonly open: '<' | '('; readonly owner: Part }[] = [];
  const openCount = { '<': 0, '(': 0 };
  let type = words[0];
  let part = type.parts[0];
  const outer: Type[] = [];

  const add = (char: string): void => {
    if (part.template === undefined && part.params === undefined) part.text += char;
    else part.tail += char;
  };
  const open = (bracket: '<' | '('): void => {
    stack.push({ open: bracket, owner: part });
    openCount[bracket]++;
    outer.push(type);
    type = newType();
    const list = [type];
    if (bracket === '<') part.template = list;
    else part.params = list;
    part = type.parts[0];
  };
  const closeOne = (): void => {
    const closed = stack.pop();
    const around = outer.pop();
    if (closed === undefined || around === undefined) return;
    openCount[closed.open]--;
    type = around;
    part = closed.owner;
  };
  const close = (bracket: '<' | '('): void => {
    // A bracket that nobody opened is text; one that was closes all that were opened in it.
    while (openCount[bracket] > 0 && stack[stack.length - 1].open !== bracket) closeOne();
    closeOne();
  };

  for (let at = 0; at < name.length; at++) {
    const char = name[at];
    switch (char) {
      case '<':
        if (part.text.endsWith('operator') || part.text.endsWith('operator<')) add(char);
        else open('<');
        break;
      case '(':
        open('(');
        break;
      case '>':
        if (openCount['<'] === 0 || name[at - 1] === '-' || stack[stack.length - 1].open !== '<') add(char);
        else close('<');
        break;
      case ')':
        if (openCount['('] === 0) add(char);
        else close('(');
        break;
      case ',': {
        const inside = stack[stack.length - 1];
        if (inside === undefined) {
          add(char);
          break;
        }
        type = newType();
        part = type.parts[0];
        (inside.open === '<' ? inside.owner.template : inside.owner.params)?.push(type);
        break;
      }
      case ':':
        if (name[at + 1] !== ':') {
          add(char);
          break;
        }
        at++;
        part = { text: '', tail: '' };
        type.parts.push(part);
        break;
      case ' ':
        if (stack.length > 0) {
          add(char);
          break;
        }
        type = newType();
        part = type.parts[0];
        words.push(type);
        break;
      default:
        add(char);
    }
  }
  return words.filter(({ parts }) => parts.some(({ text, params }) => text !== '' || params !== undefined));
}

const newType = (): Type => ({ parts: [{ text: '', tail: '' }] });

/** `{lambda(float)#1}`: the brace is its text's first character, its parameters are the part's. */
const isLambda = (part: Part): boolean => part.text.trimStart().startsWith('{');
const isOperator = (part: Part): boolean => part.text.trim() === 'operator';
const lastOf = <T>(list: readonly T[]): T => list[list.length - 1];

function renderType(type: Type, detail: Detail, depth: number): string {
  if (depth > MAX_DEPTH) return '…';
  const { parts } = type;
  let main = parts.length - 1;
  while (main > 0 && (isLambda(parts[main]) || isOperator(parts[main]))) main--;
  const part = parts[main];
  const text = simplify(part.text);
  if (isNumber(type)) return `${text}${part.tail.trim()}`;
  if ((detail < 2 && CARRIERS.has(text)) || (detail === 0 && APPLIERS.has(text))) {
    const carried = part.template?.find(isTelling);
    if (carried !== undefined) return renderType(carried, detail, depth + 1);
  }
  const inside = templateArguments(part.template ?? [], detail, depth);
  const lambda = detail === 0 && inside.length > 0 ? '' : lambdaText(parts.slice(main + 1), detail, depth);
  const space = depth === 0 && main > 0 && GENERIC.test(text) ? `${simplify(parts[main - 1].text)}::` : '';
  // What stands behind a kernel's own brackets (`const`, `[clone]`) is no part of its name; behind a type it is: `char*`.
  const tail = depth === 0 ? '' : part.tail.replace(/ ?const\b/g, '').trim();
  return `${space}${text}${inside.length > 0 ? `<${inside.join(', ')}>` : ''}${lambda}${isLambda(lastOf(parts)) ? '' : tail}`;
}

/** Does a template argument say what is computed, and not only with which type? */
function isTelling(type: Type): boolean {
  if (isPlumbing(type) || isNumber(type)) return false;
  const last = lastOf(type.parts);
  return isLambda(last) || last.template !== undefined || /(gemm|conv|kernel|functor|op|grad|prop)/i.test(last.text);
}

const isPlumbing = ({ parts }: Type): boolean => PLUMBING.test(simplify(lastOf(parts).text));
/** `4`, `true`, `8u`, `(cudnnDataType_t)0`. */
const isNumber = ({ parts: [first, ...more] }: Type): boolean =>
  more.length === 0 && (NUMBER.test(first.text.trim()) || (first.text.trim() === '' && NUMBER.test(first.tail.trim())));

function templateArguments(types: readonly Type[], detail: Detail, depth: number): string[] {
  const shown: string[] = [];
  for (const type of types) {
    if (detail < 2 && isPlumbing(type)) continue;
    if (detail === 0 && isNumber(type)) continue;
    const text = renderType(type, detail, depth + 1);
    if (text === '' || isRepeated(text, shown, detail)) continue;
    if (detail === 0 && shown.length === 3) return [...shown, '…'];
    shown.push(text);
  }
  return shown;
}

/** `<float, float, float>` says no more than `<float>`. */
function isRepeated(text: string, shown: readonly string[], detail: Detail): boolean {
  if (detail === 0) return shown.includes(text);
  return detail === 1 && /^[a-z]/i.test(text) && shown[shown.length - 1] === text;
}

/** What a lambda takes tells the type that a kernel was made for: `exp_kernel_cuda(float)`. With more detail, also which lambda it is. */
function lambdaText(parts: readonly Part[], detail: Detail, depth: number): string {
  const lambdas = parts.filter(isLambda);
  if (lambdas.length === 0) return '';
  const types = (lastOf(lambdas).params ?? []).map((each) => renderType(each, detail, depth + 1));
  const which = lambdas.map(({ tail }) => /#\d+/.exec(tail)?.[0] ?? '').join('');
  return `(${[...new Set(types)].filter((text) => text !== '').join(', ')})${detail > 0 ? which : ''}`;
}

/** `unsigned int` is `uint`; qualifiers tell no two kernels apart. */
function simplify(text: string): string {
  const bare = text.trim().replace(/\b(const|volatile|struct|class|enum) | (const|volatile)\b/g, '');
  return bare.replace(/^unsigned (\w)/, 'u$1').replace(/long long/, 'long');
}
