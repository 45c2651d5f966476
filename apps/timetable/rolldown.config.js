import { readFileSync } from 'node:fs';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig } from 'rolldown';

/** zlib's settings that give the fewest bytes here. */
const GZIP = { level: 9, memLevel: 7 };

const source = (name) => readFileSync(new URL(`src/${name}`, import.meta.url), 'utf8');
/** The styles without comments and needless spaces. */
const css = () =>
  ['grid', 'cells', 'week', 'agenda', 'panel', 'bars', 'page', 'wall']
    .map((name) => source(`${name}.css`).replace(/\/\*[^]*?\*\//g, ''))
    .join('')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,>~/]) ?|(:) |(?<![\d.])0(?=\.)/g, '$1$2')
    .replaceAll(';}', '}');
/** The page without needless spaces, quotes and end tags. */
const html = () =>
  source('index.html')
    .replace(/\s+/g, ' ')
    .replaceAll(' />', '>')
    .replace(/ ?<\/(option|body|html|head)>/g, '')
    .replace(/="([\w-][\w.:/-]*)"/g, '=$1');

/** `index.html`, and the folder `timetable` with the files that it loads, as they are and as `.br` and `.gz`. */
export default defineConfig({
  input: { timetable: 'src/main.ts' },
  platform: 'browser',
  output: {
    dir: 'dist',
    cleanDir: true,
    entryFileNames: 'timetable/[name].js',
    minify: true,
    comments: false,
  },
  plugins: [
    {
      name: 'page',
      generateBundle(_options, bundle) {
        const emit = (fileName, source) => this.emitFile({ type: 'asset', fileName, source });
        emit('index.html', html());
        const files = Object.values(bundle).map(({ fileName, code }) => [fileName, code]);
        files.push(['timetable/timetable.css', css()], ['timetable/icon.svg', source('icon.svg')]);
        for (const [name, text] of files) {
          if (!name.endsWith('.js')) emit(name, text);
          emit(`${name}.br`, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
          emit(`${name}.gz`, gzipSync(text, GZIP));
        }
      },
    },
  ],
});
