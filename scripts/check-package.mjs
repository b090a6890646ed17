// The package as those who install it see it: publint; the values that its types promise are there; and a caller's file
// (src/library/questions.test-d.ts) compiles against the built types, as Node and as a bundler resolve them.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import ts from 'typescript';
import { buildTypes } from './build-types.mjs';
import { ROOT } from './setup.mjs';

const ENTRIES = { longpole: 'index', 'longpole/engine': 'engine' };
const CALLER = 'src/library/questions.test-d.ts';

const STRICT = {
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  target: ts.ScriptTarget.ES2023,
  typeRoots: [join(ROOT, 'node_modules/@types')],
};
const SETTINGS = [
  { name: 'Node', module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: ['node'] },
  {
    name: 'a bundler, exact optional properties',
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts'],
    types: [],
    exactOptionalPropertyTypes: true,
  },
];

const problems = [];
const folder = join(ROOT, `tmp/package-${process.pid}`);
const installed = join(folder, 'node_modules/longpole');
try {
  await install();
  await checkFiles();
  await checkTypes();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
for (const problem of problems) console.log(problem);
if (problems.length > 0) process.exitCode = 1;

/** The package with its types, which a quick build leaves out, beside files that call it. */
async function install() {
  mkdirSync(installed, { recursive: true });
  for (const part of ['package.json', 'README.md', 'LICENSE', 'bin', 'dist']) {
    cpSync(join(ROOT, part), join(installed, part), { recursive: true });
  }
  await buildTypes(join(installed, 'dist'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
}

async function checkFiles() {
  const { messages, pkg } = await publint({ pkgDir: installed, pack: false, strict: true });
  for (const message of messages) {
    if (message.type !== 'suggestion') problems.push(formatMessage(message, pkg, { color: false }));
  }
}

async function checkTypes() {
  const caller = readFileSync(join(ROOT, CALLER), 'utf8').replace("'../index.ts'", "'longpole'");
  const files = {
    'caller.ts': caller,
    'browser.ts': caller
      .replace("'longpole'", "'longpole/engine'")
      .replace(/^ {2}openTrace,\n/m, '')
      .replace(/openTrace\('trace.json'/, 'readTrace(new Uint8Array(0)'),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  for (const { name, ...settings } of SETTINGS) {
    const paths = Object.keys(files).map((each) => join(folder, each));
    const program = ts.createProgram(paths, { ...STRICT, ...settings });
    for (const file of program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder))) {
      for (const { start, messageText } of [
        ...program.getSyntacticDiagnostics(file),
        ...program.getSemanticDiagnostics(file),
      ]) {
        const at = `${relative(folder, file.fileName)}:${file.getLineAndCharacterOfPosition(start).line + 1}`;
        problems.push(`as ${name} sees it: ${at}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
      }
    }
    if (settings.types.length === 0) await checkValues(program);
  }
}

/** Types that are bundled may promise a value of which only the type was exported. */
async function checkValues(program) {
  const checker = program.getTypeChecker();
  for (const [name, file] of Object.entries(ENTRIES)) {
    const source = program.getSourceFile(join(installed, `dist/${file}.d.ts`));
    const promised = checker
      .getExportsOfModule(checker.getSymbolAtLocation(source))
      .map((each) => (each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each))
      .filter((each) => each.flags & ts.SymbolFlags.Value)
      .map((each) => each.name);
    const there = Object.keys(await import(join(installed, `dist/${file}.js`)));
    for (const value of promised) if (!there.includes(value)) problems.push(`${name}: ${value} is only in its types`);
    for (const value of there) if (!promised.includes(value)) problems.push(`${name}: ${value} is not in its types`);
  }
}
