// npm run new-analysis -- NAME: the folder of a new analysis of windows and its command, wired in, with a test that is still to be written.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What a new analysis changes: each file with its new text, by its path in the repository. */
export function filesOfAnalysis(name: string, root: string): Map<string, string> {
  const camel = name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const pascal = camel.charAt(0).toUpperCase() + camel.slice(1);
  const fill = (text: string): string =>
    text.replaceAll('__name__', name).replaceAll('__camel__', camel).replaceAll('__Pascal__', pascal);
  const files = new Map<string, string>();
  const template = join(root, 'scripts/new-analysis');
  for (const file of readdirSync(template)) {
    const isCommand = file === 'command.ts.txt';
    const to = isCommand ? `src/cli/commands/${name}.ts` : `src/analyses/${name}/${fill(file.replace(/\.txt$/, ''))}`;
    files.set(to, fill(readFileSync(join(template, file), 'utf8')));
  }
  const textOf = (file: string): string => files.get(file) ?? readFileSync(join(root, file), 'utf8');
  /** Puts lines before the first line that matches, in a file that lists all analyses. */
  const insert = (file: string, before: RegExp, ...added: string[]): void => {
    const lines = textOf(file).split('\n');
    const at = lines.findIndex((line) => before.test(line));
    if (at === -1) throw new Error(`bug: nothing in ${file} matches ${String(before)}`);
    files.set(file, lines.toSpliced(at, 0, ...added).join('\n'));
  };
  const key = camel === name ? name : `'${name}'`;
  insert('src/analyses/registry.ts', /^$/, `import { ${camel} } from './${name}/index.ts';`);
  insert('src/analyses/registry.ts', /^\} as const;/, camel === name ? `  ${name},` : `  '${name}': ${camel},`);
  insert('src/cli/limits.ts', /^ {2}explain:/, `  ${key}: 20,`);
  insert('src/cli/program.ts', /^\} as const;/, `  ${key}: ['…', () => import('./commands/${name}.ts')],`);
  insert(
    'src/cli/examples.ts',
    /^ {2}explain: \[/,
    `  ${key}: [`,
    `    example('${name} trace.json.gz', '…'),`,
    `    example('${name} trace.json.gz --step 1', '…'),`,
    '  ],',
  );
  const questions = 'src/library/questions.ts';
  insert(questions, /^import/, `import type { ${pascal}Result } from '../analyses/${name}/result.ts';`);
  const question = [
    '/** … */',
    `export function ${camel}(trace: OpenTrace, options?: AskOptions<'${name}'>): Outcome<${pascal}Result> {`,
    `  return trace.ask('${name}', options);`,
    '}',
  ];
  files.set(questions, `${textOf(questions)}\n${question.join('\n')}\n`);
  insert('src/library/results.ts', /^export type \{/, `export * from '../analyses/${name}/result.ts';`);
  return files;
}

function main([name = '']: readonly string[], root: string): number {
  if (!/^[a-z]+(-[a-z]+)*$/.test(name)) {
    process.stderr.write('usage: npm run new-analysis -- NAME, in kebab-case, for example launch-delay\n');
    return 2;
  }
  const folder = join(root, 'src/analyses', name);
  if (existsSync(folder)) {
    process.stderr.write(`new-analysis: ${name} exists already\n`);
    return 2;
  }
  mkdirSync(join(folder, 'golden'), { recursive: true });
  for (const [file, text] of filesOfAnalysis(name, root)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  process.stdout.write(
    `src/analyses/${name} and src/cli/commands/${name}.ts are there. Now:\n` +
      '  1. say the question in index.ts, and in a line in src/cli/program.ts, src/cli/examples.ts and src/library/questions.ts\n' +
      '  2. write result.ts, compute.ts, render-text.ts, the README, the drawn tests and an example in docs/library.md\n' +
      '  3. npm run fix, then UPDATE_GOLDEN=1 npm test -- ' +
      `src/analyses/${name}, and read the golden text\n`,
  );
  return 0;
}

// The bundle that runs it lies elsewhere: the repository is where it was started.
if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = main(process.argv.slice(2), process.cwd());
