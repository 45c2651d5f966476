import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Milliseconds that a read may take: that of a network file system may never end. */
export const READ_TIMEOUT = 5_000;

/** @throws Error if there is no such file, or it is none that can be read again: a FIFO, a folder, a device */
export async function readText(path: string): Promise<string> {
  // Opened without this, a FIFO waits for its writer, and the process cannot even exit meanwhile.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

/** @throws Error if a read takes longer */
export async function inTime(reading: Promise<string>, timeout = READ_TIMEOUT): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it was not read within ${timeout} ms`)), timeout);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}
