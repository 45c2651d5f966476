import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {{ at: number, took: number, status: number }} Call `at` in milliseconds of `performance.now()`; status 0 without a response */

const WRITERS = 16;
const READERS = 2;
/** Milliseconds between two creates of a writer, and before a retry. */
const PAUSE = 20;
/** Milliseconds after which a response counts as lost. */
const RESPONSE_TIMEOUT = 10_000;
/** Attempts of a get when bookings are read back. */
const MAX_TRIES = 20;
const DAY = Date.parse('2027-01-01T00:00:00Z');

/** Writers that each book one slot after another, and retry a create with its key until it is acknowledged. */
export class Load {
  /** @type {Call[]} */
  creates = [];
  /** @type {Call[]} */
  gets = [];
  /** The booking of each acknowledged key. @type {Map<string, { id: string, json: string }>} */
  acknowledged = new Map();
  /** Keys whose responses differ. @type {string[]} */
  changed = [];
  isOver = false;

  /** @param {readonly string[]} urls of the replicas of the service */
  constructor(urls) {
    this.urls = urls;
    const writers = Array.from({ length: WRITERS }, (_, writer) => this.write(writer));
    const readers = Array.from({ length: READERS }, () => this.read());
    this.done = Promise.all([...writers, ...readers]);
  }

  /** Resolves when every create that was sent is acknowledged. */
  async end() {
    this.isOver = true;
    await this.done;
  }

  /**
   * Reads every acknowledged booking back, through each replica.
   *
   * @returns {Promise<{ lost: string[], changed: string[] }>} keys
   */
  async readBack() {
    const lost = new Set();
    const changed = new Set(this.changed);
    const left = [...this.acknowledged].flatMap(([key, kept]) => this.urls.map((url) => ({ key, kept, url })));
    const reader = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        const { key, kept, url } = next;
        const { status, body } = await this.get(url, kept.id);
        if (status !== 200) lost.add(key);
        else if (body !== kept.json) changed.add(key);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, reader));
    return { lost: [...lost], changed: [...changed] };
  }

  /** A get that is retried while it is 503. @param {string} url @param {string} id */
  async get(url, id) {
    for (let tries = 1; ; tries++) {
      const response = await send(`${url}/v1/bookings/${id}`);
      if ((response.status !== 503 && response.status !== 0) || tries === MAX_TRIES) return response;
      await sleep(PAUSE * tries);
    }
  }

  /** @param {number} writer */
  async write(writer) {
    for (let number = 0; !this.isOver; number++) {
      const key = `writer-${writer}-${number}`;
      const start = new Date(DAY + number * 3_600_000).toISOString();
      const end = new Date(DAY + (number + 1) * 3_600_000).toISOString();
      const body = JSON.stringify({ slot: { resource_id: `room ${writer}`, start, end }, note: key });
      for (let attempt = 0; !this.acknowledged.has(key); attempt++) {
        await this.create(this.urls[(number + attempt) % this.urls.length] ?? '', key, body);
        await sleep(PAUSE);
      }
    }
  }

  /** @param {string} url @param {string} key @param {string} body */
  async create(url, key, body) {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
    const response = await send(`${url}/v1/bookings`, { method: 'POST', headers, body });
    this.creates.push(response);
    if (response.status !== 201) return;
    const { booking_id: id } = /** @type {{ booking_id: string }} */ (JSON.parse(response.body));
    const before = this.acknowledged.get(key);
    if (before !== undefined && before.json !== response.body) this.changed.push(key);
    this.acknowledged.set(key, { id, json: response.body });
  }

  async read() {
    for (let number = 0; !this.isOver; number++) {
      const known = [...this.acknowledged.values()].at(-1 - (number % 50));
      if (known !== undefined)
        this.gets.push(await send(`${this.urls[number % this.urls.length]}/v1/bookings/${known.id}`));
      await sleep(PAUSE);
    }
  }
}

/** @param {string} url @param {RequestInit} [init] @returns {Promise<Call & { body: string }>} */
async function send(url, init) {
  const at = performance.now();
  const took = () => performance.now() - at;
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(RESPONSE_TIMEOUT) });
    const body = await response.text();
    return { at, took: took(), status: response.status, body };
  } catch {
    return { at, took: took(), status: 0, body: '' };
  }
}
