import ts from 'typescript';

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  strict: true,
  noEmit: true,
};

/** Where a program gets `fetch`, `URL` and their like from. */
export const platforms: Record<string, ts.CompilerOptions> = {
  browser: { ...options, lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'], types: [] },
  Node: { ...options, lib: ['lib.es2023.d.ts'], types: ['node'] },
};

/**
 * What the compiler says about the files in `folder` that `files` lead to. It reads declarations only where
 * `skipLibCheck` is off.
 */
export function errorsIn(folder: string, files: string[], platform: ts.CompilerOptions): string[] {
  const program = ts.createProgram(files, platform);
  const sources = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(folder));
  if (sources.length < files.length) throw new Error(`The compiler did not find ${files.join(', ')}`);
  const diagnostics = sources.flatMap((source) => ts.getPreEmitDiagnostics(program, source));
  return diagnostics.map(
    ({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  );
}

/**
 * The doc comments that an editor shows for what each file exports, and for the members of its classes and
 * interfaces: by name, as `BookingsClient.create`.
 */
export function docCommentsOf(...files: string[]): Map<string, string>[] {
  const program = ts.createProgram(files, platforms['browser']!);
  return files.map((file) => docCommentsIn(program.getSourceFile(file)!, program.getTypeChecker()));
}

function docCommentsIn(file: ts.SourceFile, checker: ts.TypeChecker): Map<string, string> {
  const comments = new Map<string, string>();
  for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(file)!)) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    comments.set(symbol.name, commentOf(symbol, checker));
    if (!(symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface))) continue;
    for (const member of symbol.members?.values() ?? []) {
      if (isPublic(member)) comments.set(`${symbol.name}.${member.name}`, commentOf(member, checker));
    }
  }
  return comments;
}

/** Constructors and `#private` members have names that no caller writes. */
function isPublic(member: ts.Symbol): boolean {
  return /^[a-z]\w*$/i.test(member.name);
}

function commentOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  const tags = symbol.getJsDocTags(checker).map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`);
  return [ts.displayPartsToString(symbol.getDocumentationComment(checker)), ...tags].join('\n').trim();
}
