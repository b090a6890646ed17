// npm run new-analysis -- NAME: the folder of a new analysis of windows and its command, wired in, with a test that is still to be written.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './setup.mjs';

const [name = ''] = process.argv.slice(2);
if (!/^[a-z]+(-[a-z]+)*$/.test(name)) {
  process.stderr.write('usage: npm run new-analysis -- NAME, in kebab-case, for example launch-delay\n');
  process.exit(2);
}
const folder = join(ROOT, 'src/analyses', name);
if (existsSync(folder)) {
  process.stderr.write(`new-analysis: ${name} exists already\n`);
  process.exit(2);
}
const camel = name.replace(/-([a-z])/g, (_, letter) => letter.toUpperCase());
const pascal = camel[0].toUpperCase() + camel.slice(1);
const fill = (text) =>
  text.replaceAll('__name__', name).replaceAll('__camel__', camel).replaceAll('__Pascal__', pascal);

const template = join(ROOT, 'scripts/new-analysis');
mkdirSync(join(folder, 'golden'), { recursive: true });
for (const file of readdirSync(template)) {
  const to =
    file === 'command.ts.txt'
      ? join(ROOT, 'src/cli/commands', `${name}.ts`)
      : join(folder, fill(file.replace(/\.txt$/, '')));
  writeFileSync(to, fill(readFileSync(join(template, file), 'utf8')));
}

/** Puts a line before the first line that matches, in a file that lists all analyses. */
function insert(file, before, line) {
  const path = join(ROOT, file);
  const lines = readFileSync(path, 'utf8').split('\n');
  const at = lines.findIndex((each) => before.test(each));
  if (at === -1) throw new Error(`bug: nothing in ${file} matches ${before}`);
  writeFileSync(path, [...lines.slice(0, at), line, ...lines.slice(at)].join('\n'));
}
const key = camel === name ? name : `'${name}'`;
insert('src/analyses/registry.ts', /^$/, `import { ${camel} } from './${name}/index.ts';`);
insert('src/analyses/registry.ts', /^\} as const;/, camel === name ? `  ${name},` : `  '${name}': ${camel},`);
insert('src/cli/limits.ts', /^  explain:/, `  ${key}: 20,`);
insert('src/cli/main.ts', /^\} as const;/, `  ${key}: ['…', () => import('./commands/${name}.ts')],`);
insert('src/library/questions.ts', /^import/, `import type { ${pascal}Result } from '../analyses/${name}/result.ts';`);
insert('src/library/results.ts', /^export type \{/, `export * from '../analyses/${name}/result.ts';`);
const questions = join(ROOT, 'src/library/questions.ts');
const question = `
/** … */
export function ${camel}(trace: OpenTrace, options?: AskOptions<'${name}'>): Outcome<${pascal}Result> {
  return trace.ask('${name}', options);
}
`;
writeFileSync(questions, readFileSync(questions, 'utf8') + question);
process.stdout.write(
  `src/analyses/${name} and src/cli/commands/${name}.ts are there. Now:\n` +
    '  1. say the question in index.ts, and in a line in src/cli/main.ts and src/library/questions.ts\n' +
    '  2. write result.ts, compute.ts, render-text.ts, the README, the drawn tests and an example in docs/library.md\n' +
    '  3. npm run fix, then UPDATE_GOLDEN=1 npm test -- ' +
    `src/analyses/${name}, and read the golden text\n`,
);
