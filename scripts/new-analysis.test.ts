import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { filesOfAnalysis } from './new-analysis.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '');
const made = filesOfAnalysis('launch-jitter', ROOT);

/** Of the types of the repository with these files laid over it. */
function typeErrors(files: ReadonlyMap<string, string>): string[] {
  const base = ts.readConfigFile(join(ROOT, 'tsconfig.base.json'), (file) => ts.sys.readFile(file)).config as {
    compilerOptions: object;
  };
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...base.compilerOptions, composite: false, emitDeclarationOnly: false, noEmit: true, types: ['node'] },
    ROOT,
  );
  const laid = new Map([...files].map(([file, text]) => [join(ROOT, file), text]));
  const host = ts.createCompilerHost(options);
  const over: ts.CompilerHost = {
    ...host,
    directoryExists: () => true,
    fileExists: (file) => laid.has(file) || host.fileExists(file),
    readFile: (file) => laid.get(file) ?? host.readFile(file),
    getSourceFile: (file, version) => {
      const text = laid.get(file);
      return text === undefined ? host.getSourceFile(file, version) : ts.createSourceFile(file, text, version);
    },
  };
  // Its test and its command would bring in half of the repository.
  const sources = [...laid.keys()].filter((file) => /src\/analyses\/.*(?<!\.test)\.ts$/.test(file));
  const program = ts.createProgram(sources, options, over);
  return sources.flatMap((file) => {
    const source = program.getSourceFile(file);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  });
}

test('a new analysis has all its parts, and no blank is left', () => {
  const folder = 'src/analyses/launch-jitter';
  const own = ['README.md', 'result.ts', 'compute.ts', 'render-text.ts', 'index.ts', 'launch-jitter.test.ts'];
  for (const file of own) expect([...made.keys()]).toContain(`${folder}/${file}`);
  expect([...made.keys()]).toContain('src/cli/commands/launch-jitter.ts');
  for (const text of made.values()) expect(text).not.toMatch(/__\w+__/);
});

test('it is listed wherever all analyses are', () => {
  for (const file of [
    'analyses/registry',
    'cli/limits',
    'cli/program',
    'cli/examples',
    'library/questions',
    'library/results',
  ]) {
    expect(made.get(`src/${file}.ts`), file).toContain('launch-jitter');
  }
});

test('its sources compile as they are', () => expect(typeErrors(made)).toEqual([]));
