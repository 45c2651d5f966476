import { EndpointProgress } from '../../src/events/endpoint-progress.js';
import { bookingCreated } from '../../src/events/event.js';

const none = { delivered: 0, previous: 0, ahead: [], failures: 0, failingFor: undefined };

/** Events with these sequences, each of which follows the one before. */
function batchOf(previous: number, sequences: number[], delivered = sequences.at(-1)!) {
  const events = sequences.map((sequence, index) => {
    const place = { sequence, previous: sequences[index - 1] ?? previous, isOfDeletion: false };
    return bookingCreated(place, { bookingId: `booking ${sequence}`, resourceId: undefined, json: '{}' });
  });
  return { events, upTo: { delivered, previous: sequences.at(-1) ?? previous } };
}

describe('The position of an endpoint', () => {
  it('is the one it was claimed with, before anything is read', () => {
    const claimed = { ...none, delivered: 7, previous: 5, ahead: [9] };
    expect(new EndpointProgress(claimed).position).toEqual({ delivered: 7, previous: 5, ahead: [9] });
  });

  it('moves over what is acknowledged without a gap, and remembers what is ahead of it', () => {
    const progress = new EndpointProgress(none);
    progress.startBatch(batchOf(0, [1, 2, 3, 4]));
    progress.acknowledge({ sequence: 3 });
    expect(progress.position).toEqual({ delivered: 0, previous: 0, ahead: [3] });
    progress.acknowledge({ sequence: 1 });
    expect(progress.position).toEqual({ delivered: 1, previous: 1, ahead: [3] });
    progress.acknowledge({ sequence: 2 });
    expect(progress.position).toEqual({ delivered: 3, previous: 3, ahead: [] });
  });

  it('passes what a filter leaves out, and keeps the last sequence that matched', () => {
    const progress = new EndpointProgress({ ...none, delivered: 2, previous: 1 });
    progress.startBatch(batchOf(1, [5, 9], 12));
    expect(progress.position).toEqual({ delivered: 4, previous: 1, ahead: [] });
    progress.acknowledge({ sequence: 5 });
    expect(progress.position).toEqual({ delivered: 8, previous: 5, ahead: [] });
    progress.acknowledge({ sequence: 9 });
    expect(progress.position).toEqual({ delivered: 12, previous: 9, ahead: [] });
    progress.startBatch(batchOf(9, [], 20));
    expect(progress.position).toEqual({ delivered: 20, previous: 9, ahead: [] });
  });

  it('remembers what was ahead when it was claimed until it has passed that', () => {
    const progress = new EndpointProgress({ ...none, ahead: [2, 200] });
    progress.startBatch(batchOf(0, [1, 3], 128));
    for (const sequence of [1, 3]) progress.acknowledge({ sequence });
    expect(progress.position).toEqual({ delivered: 128, previous: 3, ahead: [200] });
    progress.startBatch(batchOf(3, [129]));
    expect(progress.position.ahead).toEqual([200]);
  });

  it('counts what was acknowledged since the claim', () => {
    const progress = new EndpointProgress({ ...none, ahead: [2] });
    progress.startBatch(batchOf(0, [1, 3]));
    progress.acknowledge({ sequence: 1 });
    progress.startBatch(batchOf(3, [4]));
    progress.acknowledge({ sequence: 4 });
    expect(progress.acknowledgements).toBe(2);
  });
});

describe('The failures of an endpoint', () => {
  it('are counted from the first on, with the pause before the next attempt', () => {
    const progress = new EndpointProgress(none);
    expect(progress.fail(250, 0, 1_000)).toBe(true);
    const saved = progress.toSave(1_400);
    expect(saved).toEqual({ ...none, failures: 1, failingFor: 400, pause: 250, endedUrl: undefined });
    // Of another process, whose performance.now() began elsewhere.
    const again = new EndpointProgress(saved, 50_000);
    expect(again.isStopped).toBe(false);
    again.fail(500, 0, 53_000);
    expect(again.toSave(53_000)).toMatchObject({ failures: 2, failingFor: 3_400, pause: 500 });
    expect(again.failingFor(54_000)).toBe(4_400);
  });

  it('are one where several attempts fail at a time, and an attempt that succeeds then ends nothing', () => {
    const progress = new EndpointProgress(none);
    progress.fail(250, 0, 1_000);
    expect(progress.fail(60_000, 0, 1_001)).toBe(false);
    expect(progress.end('https://hooks.example')).toBe(false);
    expect(progress.succeed()).toBe(false);
    expect(progress.toSave()).toMatchObject({ failures: 1, pause: 250, endedUrl: undefined });
    expect(progress.isStopped).toBe(true);
  });

  it('pause for the longest Retry-After of several responses at a time', () => {
    const progress = new EndpointProgress(none);
    for (const retryAfter of [0, 90_000, 30_000]) progress.fail(250, retryAfter, 1_000);
    expect(progress.toSave(1_000)).toMatchObject({ failures: 1, pause: 90_000 });
  });

  it('end with the first attempt that succeeds after the pause', () => {
    const progress = new EndpointProgress({ ...none, failures: 3, failingFor: 1_000 }, 2_000);
    expect(progress.succeed()).toBe(true);
    expect(progress.succeed()).toBe(false);
    expect(progress.toSave()).toEqual({ ...none, pause: 0, endedUrl: undefined });
    expect(progress.failingFor(5_000)).toBe(0);
  });

  it('start again for the event after one that is parked', () => {
    const progress = new EndpointProgress({ ...none, failures: 3, failingFor: 1_000 }, 2_000);
    progress.fail(250, 0, 9_000);
    progress.restartFailing(9_000);
    expect(progress.toSave(9_500)).toMatchObject({ failures: 4, failingFor: 500 });
  });

  it('are none where it wants no more events; that goes for its URL', () => {
    const progress = new EndpointProgress(none);
    expect(progress.end('https://hooks.example')).toBe(true);
    expect(progress.isStopped).toBe(true);
    expect(progress.toSave()).toEqual({ ...none, pause: 0, endedUrl: 'https://hooks.example' });
  });
});
