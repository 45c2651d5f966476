import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';

const source = (name) => readFileSync(new URL(`src/${name}`, import.meta.url), 'utf8');

/** The page: `index.html`, and next to it the folder `timetable` with the files that it loads. */
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
      generateBundle() {
        this.emitFile({ type: 'asset', fileName: 'index.html', source: source('index.html') });
        for (const name of ['timetable.css', 'icon.svg']) {
          this.emitFile({ type: 'asset', fileName: `timetable/${name}`, source: source(name) });
        }
      },
    },
  ],
});
