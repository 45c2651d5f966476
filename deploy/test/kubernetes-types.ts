import { join } from 'node:path';
import ts from 'typescript';

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
}

const options: ts.CompilerOptions = {
  noEmit: true,
  strict: true,
  skipLibCheck: true,
  lib: ['lib.es5.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
};

/**
 * Type checks objects as their types in `kubernetes-types`: finds members that are missing, unknown or of another type,
 * each with the name of its object. Formats and ranges are not checked.
 */
export function faultsOf(manifests: Record<string, Manifest>): string[] {
  const file = join(import.meta.dirname, 'manifests.ts');
  const names = Object.keys(manifests);
  const source = Object.values(manifests).map(constant).join('\n');
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (name) => name === file || disk.fileExists(name),
    readFile: (name) => (name === file ? source : disk.readFile(name)),
    getSourceFile: (name, language) =>
      name === file ? ts.createSourceFile(name, source, language) : disk.getSourceFile(name, language),
  };
  return ts.getPreEmitDiagnostics(ts.createProgram([file], options, host)).map((fault) => {
    const line = fault.file?.getLineAndCharacterOfPosition(fault.start ?? 0).line ?? 0;
    return `${names[line]}: ${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}`;
  });
}

/** On one line, so that the line number of a fault identifies the object. */
function constant(manifest: Manifest, index: number): string {
  const type = `import('kubernetes-types/${moduleOf(manifest.apiVersion)}.js').${manifest.kind}`;
  return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
}

/** `v1` is `core/v1`, `networking.k8s.io/v1` is `networking/v1`. */
function moduleOf(apiVersion: string): string {
  const [group = '', version] = apiVersion.split('/');
  return version === undefined ? `core/${group}` : `${group.split('.')[0]}/${version}`;
}
