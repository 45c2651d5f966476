import { EndpointProgress, type PendingEvent } from '../../src/events/endpoint-progress.js';
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

/** Acknowledges events of a batch. */
function acknowledge(progress: EndpointProgress, batch: ReturnType<typeof batchOf>, ...sequences: number[]): void {
  for (const sequence of sequences) progress.acknowledge(pendingOf(batch, sequence));
}

function pendingOf({ events }: ReturnType<typeof batchOf>, sequence: number): PendingEvent {
  return { event: events.find((event) => event.sequence === sequence)!, isDeferred: false, rejections: 0 };
}

describe('The position of an endpoint', () => {
  it('is the one it was claimed with, before anything is read', () => {
    const claimed = { ...none, delivered: 7, previous: 5, ahead: [9] };
    expect(new EndpointProgress(claimed).position).toEqual({ delivered: 7, previous: 5, ahead: [9] });
  });

  it('moves over what is acknowledged without a gap, and remembers what is ahead of it', () => {
    const progress = new EndpointProgress(none);
    const batch = batchOf(0, [1, 2, 3, 4]);
    progress.add(batch);
    acknowledge(progress, batch, 3);
    expect(progress.position).toEqual({ delivered: 0, previous: 0, ahead: [3] });
    acknowledge(progress, batch, 1);
    expect(progress.position).toEqual({ delivered: 1, previous: 1, ahead: [3] });
    acknowledge(progress, batch, 2);
    expect(progress.position).toEqual({ delivered: 3, previous: 3, ahead: [] });
  });

  it('passes what a filter leaves out, and keeps the last sequence that matched', () => {
    const progress = new EndpointProgress({ ...none, delivered: 2, previous: 1 });
    const batch = batchOf(1, [5, 9], 12);
    progress.add(batch);
    expect(progress.position).toEqual({ delivered: 4, previous: 1, ahead: [] });
    acknowledge(progress, batch, 5);
    expect(progress.position).toEqual({ delivered: 8, previous: 5, ahead: [] });
    acknowledge(progress, batch, 9);
    expect(progress.position).toEqual({ delivered: 12, previous: 9, ahead: [] });
    progress.add(batchOf(9, [], 20));
    expect(progress.position).toEqual({ delivered: 20, previous: 9, ahead: [] });
  });

  it('remembers what was ahead when it was claimed until it has passed that', () => {
    const progress = new EndpointProgress({ ...none, ahead: [2, 200] });
    const batch = batchOf(0, [1, 3], 128);
    progress.add(batch);
    acknowledge(progress, batch, 1, 3);
    expect(progress.position).toEqual({ delivered: 128, previous: 3, ahead: [200] });
    progress.add(batchOf(3, [129]));
    expect(progress.position.ahead).toEqual([200]);
  });

  it('goes on while earlier events are under way, from where events were read', () => {
    const progress = new EndpointProgress({ ...none, ahead: [300] });
    const [batch, next] = [batchOf(0, [1, 2, 3]), batchOf(3, [4, 5])];
    progress.add(batch);
    acknowledge(progress, batch, 2, 3);
    expect(progress.readPosition).toEqual({ delivered: 3, previous: 3, ahead: [300, 2, 3] });
    progress.add(next);
    acknowledge(progress, next, 4);
    expect(progress.span).toBe(5);
    expect(progress.position).toEqual({ delivered: 0, previous: 0, ahead: [300, 2, 3, 4] });
    acknowledge(progress, batch, 1);
    expect(progress.position).toEqual({ delivered: 4, previous: 4, ahead: [300] });
    expect(progress.span).toBe(1);
    expect(progress.settlements).toBe(4);
  });

  it('passes what the store has from now on, also if it was acknowledged meanwhile', () => {
    const progress = new EndpointProgress(none);
    const batch = batchOf(0, [1, 2, 3]);
    progress.add(batch);
    const [one, two] = [pendingOf(batch, 1), pendingOf(batch, 2)];
    progress.acknowledge(two);
    progress.handOver(one);
    progress.handOver(two);
    expect(progress.position).toEqual({ delivered: 2, previous: 2, ahead: [] });
    expect(progress.toSave().settled).toEqual([2]);
    progress.acknowledge(one);
    const saved = progress.toSave();
    expect(saved.settled).toEqual([2, 1]);
    progress.forget(9);
    progress.onSaved(saved);
    expect(progress.toSave().settled).toEqual([9]);
  });
});

describe('The failures of an endpoint', () => {
  it('are counted from the first on, with the pause before the next attempt', () => {
    const progress = new EndpointProgress(none);
    expect(progress.fail(250, 0, 1_000)).toBe(true);
    const saved = progress.toSave(1_400);
    expect(saved).toEqual({ ...none, failures: 1, failingFor: 400, pause: 250, endedUrl: undefined, settled: [] });
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
    expect(progress.toSave()).toMatchObject({ failures: 1, pause: 250, endedUrl: undefined, settled: [] });
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
    expect(progress.toSave()).toEqual({ ...none, pause: 0, endedUrl: undefined, settled: [] });
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
    expect(progress.toSave()).toEqual({ ...none, pause: 0, endedUrl: 'https://hooks.example', settled: [] });
  });
});
