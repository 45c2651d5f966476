import { WatchedFile } from '../../src/files/watched-file.js';
import { until } from '../support/until.js';

describe('A file whose read hangs', () => {
  it('is reported once, read no second time meanwhile, and read again afterwards', async () => {
    let text = 'first';
    let reads = 0;
    let goOn: (() => void) | undefined;
    let isHung = false;
    const read = async (): Promise<string> => {
      reads++;
      const before = text;
      if (isHung) await new Promise<void>((resolve) => (goOn = resolve));
      return before;
    };
    const taken: string[] = [];
    const faults: string[] = [];
    const times = { interval: 5, timeout: 20 };
    const file = new WatchedFile('the file', 'path', (each) => void taken.push(each), read, times);
    const closing = new AbortController();
    await file.load();
    isHung = true;
    const watching = file.watch(closing.signal, { changed: () => {}, failed: (fault) => void faults.push(fault) });
    await until(() => faults.length > 0);
    const before = reads;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(reads).toBe(before);
    text = 'second';
    isHung = false;
    goOn!();
    await until(() => taken.includes('second'));
    closing.abort();
    await watching;
    expect(faults).toEqual(['the file cannot be used: it was not read within 20 ms']);
  });

  it('stops the start', async () => {
    const times = { interval: 5, timeout: 20 };
    const file = new WatchedFile(
      'the file',
      'path',
      () => {},
      () => new Promise(() => {}),
      times,
    );
    await expect(file.load()).rejects.toThrow('the file cannot be used: it was not read within 20 ms');
  });
});
