// Keeps the words true: folders named in ARCHITECTURE.md, links, `ts` blocks (compiled, and run where an `output` block follows) and
// `console` blocks (run and compared).
//
// A `ts` block is a module of its own that may import `longpole` and `longpole/engine`. Where an `output` block follows it, it is run from the
// repository's root against the built package, and what it prints has to be that block.
// In a fenced console block of README.md, docs/ or an analysis's README, each `$ longpole …` that is followed by output is run from the
// repository's root, without colours; a line `…` in the output stands for any number of lines. A command that names a trace that is
// not there is passed over. `$T` is the folder of the public traces. `--update` writes the program's answers into the pages.
// Without pages as arguments, all of them are checked.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { CACHE, ROOT, filesUnder } from './setup.mjs';

const UPDATE = process.argv.includes('--update');
const ONLY = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const ANY_LINES = '…';
/** What no module prints. */
const BETWEEN = '--- end of module ---';
const TRACES = [process.env.LONGPOLE_TRACES, join(ROOT, '../shared/traces')].find((path) => path && existsSync(path));

const problems = [];
const pages = readdirSync(ROOT)
  .filter((name) => name.endsWith('.md'))
  .concat(
    ['docs', 'src', 'fixtures', 'examples', 'bench'].flatMap((folder) =>
      filesUnder(join(ROOT, folder)).filter((file) => file.endsWith('.md')),
    ),
  )
  .map((file) => relative(ROOT, resolve(ROOT, file)))
  // The reference pages have copies of what they link to.
  .filter((page) => !page.startsWith('docs/api/'))
  .filter((page) => ONLY.length === 0 || ONLY.includes(page));
const counts = { run: 0, passedOver: 0, modules: 0 };

checkFolders();
for (const page of pages) checkLinks(page);
const typed = ['README.md', 'ARCHITECTURE.md', 'docs/library.md'].filter((page) => pages.includes(page));
await checkTypeScript(typed);
for (const page of typed) await checkOutputs(page);
for (const page of pages.filter((each) => /^(README\.md|docs\/|src\/)/.test(each))) checkConsole(page);

for (const problem of problems) console.log(problem);
console.log(
  `${pages.length} pages, ${counts.run} commands run, ${counts.passedOver} passed over, ${counts.modules} modules run`,
);
if (problems.length > 0) process.exitCode = 1;

function checkFolders() {
  const file = join(ROOT, 'ARCHITECTURE.md');
  if (!existsSync(file)) {
    problems.push('ARCHITECTURE.md is missing');
    return;
  }
  const named = new Set(
    [...readFileSync(file, 'utf8').matchAll(/\bsrc\/([a-z0-9-]+)(?![\w-]|\.\w)/g)].map((match) => match[1]),
  );
  const folders = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((each) => each.isDirectory());
  for (const { name } of folders) if (!named.has(name)) problems.push(`ARCHITECTURE.md: does not name src/${name}`);
  for (const name of named) {
    const exists = folders.some((folder) => folder.name === name);
    if (!exists) problems.push(`ARCHITECTURE.md: names src/${name}, which does not exist`);
  }
}

function checkLinks(page) {
  const prose = readFileSync(join(ROOT, page), 'utf8')
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, '');
  for (const [, link] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^([a-z]+:|#)/.test(link)) continue;
    const target = resolve(ROOT, dirname(page), decodeURI(link.split('#')[0]));
    if (!existsSync(target)) problems.push(`${page}: the link ${link} leads nowhere`);
  }
}

/** Compiles each `ts` block, against the sources. */
async function checkTypeScript(from) {
  const blocks = new Map();
  for (const page of from) {
    for (const { line, body } of blocksOf(page, 'ts')) {
      blocks.set(join(ROOT, `${page}.line-${line}.ts`), body.join('\n'));
    }
  }
  if (blocks.size === 0) return;
  const { default: ts } = await import('typescript');
  const options = {
    ...ts.convertCompilerOptionsFromJson(
      ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), (file) => ts.sys.readFile(file)).config.compilerOptions,
      ROOT,
    ).options,
    composite: false,
    emitDeclarationOnly: false,
    noEmit: true,
    noUnusedLocals: false,
    types: ['node'],
    paths: { longpole: [join(ROOT, 'src/index.ts')], 'longpole/engine': [join(ROOT, 'src/engine.ts')] },
  };
  const host = ts.createCompilerHost(options);
  const withBlocks = {
    ...host,
    readFile: (file) => blocks.get(file) ?? host.readFile(file),
    fileExists: (file) => blocks.has(file) || host.fileExists(file),
    getSourceFile: (file, version) =>
      blocks.has(file) ? ts.createSourceFile(file, blocks.get(file), version) : host.getSourceFile(file, version),
  };
  const program = ts.createProgram([...blocks.keys()], options, withBlocks);
  for (const file of blocks.keys()) {
    const source = program.getSourceFile(file);
    for (const { messageText } of [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ]) {
      problems.push(`${relative(ROOT, file)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
    }
  }
}

/** Runs the `ts` blocks of a page that an `output` block follows, all in one process. */
async function checkOutputs(page) {
  const sources = blocksOf(page, 'ts');
  const runs = blocksOf(page, 'output').map((output) => {
    const source = sources.findLast((each) => each.line < output.line);
    return { output, source };
  });
  if (runs.length === 0) return;
  const answers = await printedBy(runs.map(({ source }) => source.body.join('\n')));
  const changes = [];
  runs.forEach(({ output: { line, body: expected } }, index) => {
    const actual = answers[index] ?? ['(it did not run)'];
    counts.modules++;
    if (matches(expected, actual)) return;
    const at = line - 1;
    if (UPDATE) changes.push({ at, remove: expected.length, insert: actual });
    else problems.push(`${page}:${line}: prints something else\n${firstDifference(expected, actual)}`);
  });
  rewrite(page, changes);
}

/** The lines that each module prints. They lie in the repository, so that `longpole` is this package by its own name. */
async function printedBy(modules) {
  const { default: ts } = await import('typescript');
  const folder = join(ROOT, `tmp/docs-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
    modules.forEach((text, at) =>
      writeFileSync(join(folder, `${at}.mjs`), ts.transpileModule(text, { compilerOptions }).outputText),
    );
    const runner = modules.map((_, at) => `await import('./${at}.mjs').catch(tell); console.log('${BETWEEN}');`);
    const tell = 'const tell = (error) => console.log(String(error));';
    writeFileSync(join(folder, 'run.mjs'), [tell, ...runner].join('\n'));
    const { FORCE_COLOR: _, ...env } = process.env;
    const { stdout, stderr } = spawnSync(process.execPath, [join(folder, 'run.mjs')], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...env, NO_COLOR: '1' },
      timeout: 120_000,
    });
    if (stderr !== '') problems.push(stderr);
    return stdout.split(`${BETWEEN}\n`).slice(0, modules.length).map(linesOf);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checkConsole(page) {
  const changes = [];
  for (const block of blocksOf(page, 'console')) {
    for (const { command, at, expected } of commandsOf(block)) {
      if (expected.length === 0) continue;
      if (!canRun(command)) {
        counts.passedOver++;
        continue;
      }
      const actual = answer(command);
      counts.run++;
      if (matches(expected, actual)) continue;
      if (UPDATE) changes.push({ at, remove: expected.length, insert: actual });
      else problems.push(`${page}:${at}: $ ${command}\n${firstDifference(expected, actual)}`);
    }
  }
  rewrite(page, changes);
}

function rewrite(page, changes) {
  if (changes.length === 0) return;
  const lines = readFileSync(join(ROOT, page), 'utf8').split('\n');
  for (const { at, remove, insert } of changes.reverse()) lines.splice(at, remove, ...insert);
  writeFileSync(join(ROOT, page), lines.join('\n'));
  console.log(`${page}: ${changes.length} answers rewritten`);
}

/** A fenced block: its first line's number in the page (from 1), and its lines. */
function blocksOf(page, language) {
  const found = [];
  let open;
  readFileSync(join(ROOT, page), 'utf8')
    .split('\n')
    .forEach((text, index) => {
      if (open === undefined && text.startsWith('```')) {
        open = { info: text.slice(3).trim(), line: index + 2, body: [] };
      } else if (open !== undefined && text === '```') {
        if (open.info === language) found.push(open);
        open = undefined;
      } else open?.body.push(text);
    });
  return found;
}

/** The commands of a block, each with its output; `at` is the index in the page of the output's first line. */
function commandsOf({ line, body }) {
  const found = [];
  body.forEach((text, index) => {
    if (text.startsWith('$ ')) found.push({ command: text.slice(2), at: line + index, expected: [] });
    else found.at(-1)?.expected.push(text);
  });
  return found.filter(({ command }) => /^longpole\b/.test(command));
}

/** Only commands whose trace is there: the first argument that looks like a path, if there is one. */
function canRun(command) {
  if (/\$T\b|\.\.\/shared/.test(command) && TRACES === undefined) return false;
  const first = command
    .split(/\s+/)
    .slice(1)
    .find((word) => !word.startsWith('-') && (word.includes('/') || /\.(json|gz|zst)$/.test(word)));
  return first === undefined || existsSync(resolve(ROOT, first.replace(/\$T\b/, TRACES ?? '')));
}

function answer(command) {
  const bin = join(CACHE, 'bin');
  mkdirSync(bin, { recursive: true });
  rmSync(join(bin, 'longpole'), { force: true });
  symlinkSync(join(ROOT, 'bin/longpole.js'), join(bin, 'longpole'));
  mkdirSync(join(ROOT, 'tmp'), { recursive: true });
  const { FORCE_COLOR: _, ...env } = process.env;
  const { stdout, status } = spawnSync('bash', ['-c', `{ ${command}\n} 2>&1`], {
    cwd: ROOT,
    encoding: 'utf8',
    env: { ...env, NO_COLOR: '1', T: TRACES, PATH: `${bin}:${process.env.PATH}` },
    maxBuffer: 1 << 26,
    timeout: 120_000,
  });
  if (status === 70 || status === null) problems.push(`$ ${command}\n  ended with ${status ?? 'a time-out'}`);
  return linesOf(stdout);
}

function linesOf(text) {
  const lines = text.replaceAll(/[ \t]+$/gm, '').split('\n');
  while (lines.at(-1) === '') lines.pop();
  return lines;
}

function matches(expected, actual) {
  if (expected.length === 0) return actual.length === 0;
  const [first, ...rest] = expected;
  if (first !== ANY_LINES) return actual.length > 0 && first.trimEnd() === actual[0] && matches(rest, actual.slice(1));
  for (let skip = 0; skip <= actual.length; skip++) if (matches(rest, actual.slice(skip))) return true;
  return false;
}

function firstDifference(expected, actual) {
  let at = 0;
  while (at < expected.length && expected[at] !== ANY_LINES && expected[at].trimEnd() === actual[at]) at++;
  return `  the page says: ${expected[at] ?? '(nothing more)'}\n  longpole says: ${actual[at] ?? '(nothing more)'}`;
}
