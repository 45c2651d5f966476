import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { CreateBookingDto } from '@booking-service/contracts';
import { failuresOf } from './judged.js';
import type { Kept } from './plain/plain-bookings.js';
import { type PlainResponse, PlainService } from './plain/plain-service.js';
import { Rejected } from './plain/rejected.js';

class SendsProblemsAsJson extends PlainService {
  protected override problem(rejected: Rejected, instance: string): PlainResponse {
    const response = super.problem(rejected, instance);
    return { ...response, headers: { ...response.headers, 'Content-Type': 'application/json' } };
  }
}

class RespondsToCreatesWith200 extends PlainService {
  protected override async create(request: IncomingMessage): Promise<PlainResponse> {
    return { ...(await super.create(request)), status: 200 };
  }
}

class ReplaysUnmarked extends PlainService {
  protected override async create(request: IncomingMessage): Promise<PlainResponse> {
    const response = await super.create(request);
    delete response.headers['Idempotent-Replayed'];
    return response;
  }
}

class CreatesWithoutLocation extends PlainService {
  protected override async create(request: IncomingMessage): Promise<PlainResponse> {
    const response = await super.create(request);
    delete response.headers['Location'];
    return response;
  }
}

class GetsWithoutETag extends PlainService {
  protected override get(escaped: string, request: IncomingMessage): PlainResponse {
    const response = super.get(escaped, request);
    delete response.headers['ETag'];
    return response;
  }
}

class LetsNoCacheWin extends PlainService {
  protected override get(escaped: string, request: IncomingMessage): PlainResponse {
    if (request.headers['cache-control'] === 'no-cache') delete request.headers['if-none-match'];
    return super.get(escaped, request);
  }
}

class RendersGetsAnew extends PlainService {
  protected override rendered({ json }: Kept): string {
    return JSON.stringify(JSON.parse(json), undefined, 1);
  }
}

class ForgivesSlashes extends PlainService {
  protected override route(request: IncomingMessage, path: string, query: string): Promise<PlainResponse> {
    return super.route(request, path.replace(/(?<=.)\/$/, ''), query);
  }
}

class KnowsNoOtherMethod extends PlainService {
  protected override otherMethod(method: string, allow: string): PlainResponse {
    if (method !== 'OPTIONS') throw new Rejected('route-not-found');
    return super.otherMethod(method, allow);
  }
}

class DeletesNothingPolitely extends PlainService {
  protected override otherMethod(method: string, allow: string): PlainResponse {
    return method === 'DELETE' ? { status: 204, headers: {} } : super.otherMethod(method, allow);
  }
}

class IgnoresUnknownParameters extends PlainService {
  protected override list(query: string): PlainResponse {
    const known = query.split('&').filter((part) => /^(limit|cursor|resource_id|from|to|s(o|%6F)rt)=/.test(part));
    return super.list(known.join('&'));
  }
}

class LinksNothing extends PlainService {
  protected override list(query: string): PlainResponse {
    const response = super.list(query);
    delete response.headers['Link'];
    return response;
  }
}

class NamesOneInstance extends PlainService {
  protected override problem(rejected: Rejected, _path: string): PlainResponse {
    return super.problem(rejected, '/v1/bookings');
  }
}

class GivesIdsOfItsOwn extends PlainService {
  protected override requestId(): string {
    return randomUUID();
  }
}

class ReadsBodiesOfAnyType extends PlainService {
  protected override body(request: IncomingMessage): Promise<unknown> {
    request.headers['content-type'] = 'application/json';
    return super.body(request);
  }
}

class TakesUnwrappedSlots extends PlainService {
  protected override payload(value: unknown): CreateBookingDto {
    const { slot, resource_id, start, end, ...others } = (value ?? {}) as Record<string, unknown>;
    if (slot !== undefined || resource_id === undefined) return super.payload(value);
    return { resource_id, start, end, ...super.payload(others) };
  }
}

class KeepsNamesOfSlots extends PlainService {
  protected override payload(value: unknown): CreateBookingDto {
    const payload = super.payload(value);
    if ('start' in payload) throw new Rejected('invalid-booking', { errors: [] });
    return payload;
  }
}

class TakesPlurals extends PlainService {
  protected override payload(value: unknown): CreateBookingDto {
    const isPlural = Object.keys(value ?? {}).some((name) => /^(slots|booking_?ids|created_?ats)$/i.test(name));
    return isPlural ? (value as CreateBookingDto) : super.payload(value);
  }
}

class ReadsDatesAsJavaScript extends PlainService {
  protected override payload(value: unknown): CreateBookingDto {
    const slot = (value as CreateBookingDto | null)?.slot;
    if (typeof slot?.start !== 'string' || typeof slot.end !== 'string') return super.payload(value);
    return super.payload({ ...(value as object), slot: { ...slot, start: read(slot.start), end: read(slot.end) } });
  }
}

function read(date: string): string {
  const instant = Date.parse(date);
  return Number.isNaN(instant) ? date : new Date(instant).toISOString();
}

class LetsCachesKeep extends PlainService {
  protected override common(): Record<string, string> {
    return {};
  }
}

class TakesAnyFraming extends PlainService {
  protected override checkFraming(): void {}
}

class InvitesEveryBody extends PlainService {
  protected override response(request: IncomingMessage): Promise<PlainResponse> {
    if (request.headers.expect !== undefined) request.socket.write('HTTP/1.1 100 Continue\r\n\r\n');
    delete request.headers.expect;
    return super.response(request);
  }
}

const faults: [string, PlainService, string[]][] = [
  [
    'sends problems as application/json',
    new SendsProblemsAsJson(),
    ['operations.media-type.errors', 'problem.incomplete'],
  ],
  [
    'responds to creates with 200',
    new RespondsToCreatesWith200(),
    ['operations.create.status', 'operations.in-turn', 'problem.continue', 'header.cache-control.create'],
  ],
  ['replays without a mark', new ReplaysUnmarked(), ['key.replay.header', 'race.key.replayed']],
  ['creates without Location', new CreatesWithoutLocation(), ['create.location']],
  ['gets without ETag', new GetsWithoutETag(), ['get.etag', 'get.not-modified']],
  ['lets Cache-Control: no-cache win', new LetsNoCacheWin(), ['get.not-modified.no-cache']],
  ['renders a get anew', new RendersGetsAnew(), ['booking.same-bytes', 'booking.same-bytes.there']],
  [
    'forgives a slash at the end',
    new ForgivesSlashes(),
    ['operations.paths.slash', 'operations.paths.create', 'operations.pages.else'],
  ],
  [
    'responds with 404 to other methods',
    new KnowsNoOtherMethod(),
    [
      'operations.methods.collection',
      'operations.methods.booking',
      'operations.pages.methods',
      'problem.method-not-allowed',
    ],
  ],
  [
    'carries out DELETE',
    new DeletesNothingPolitely(),
    [
      'specification.methods',
      'operations.methods.collection',
      'operations.methods.booking',
      'operations.pages.methods',
      'problem.method-not-allowed',
    ],
  ],
  [
    'ignores unknown parameters',
    new IgnoresUnknownParameters(),
    ['list.query.unknown', 'list.query.utf-8', 'list.query.errors', 'problem.errors'],
  ],
  ['lets caches keep responses', new LetsCachesKeep(), ['header.cache-control', 'header.cache-control.create']],
  [
    'takes any framing',
    new TakesAnyFraming(),
    ['operations.target', 'problem.framing', 'problem.content-types', 'limit.headers.number'],
  ],
  ['invites every body', new InvitesEveryBody(), ['problem.continue.refused']],
  ['links no next page', new LinksNothing(), ['list.link']],
  ['gives all problems one instance', new NamesOneInstance(), ['problem.instance', 'problem.incomplete']],
  ['gives request ids of its own', new GivesIdsOfItsOwn(), ['header.request-id.given']],
  [
    'reads bodies of any type',
    new ReadsBodiesOfAnyType(),
    [
      'create.type.refused',
      'create.type.other-origin',
      'create.type.charset',
      'create.type.chunked',
      'create.judged.type',
      'create.refused.no-slot',
      'create.refused.no-booking',
      'create.refused.no-key',
      'problem.unsupported-media-type',
      'problem.continue.refused',
    ],
  ],
  ['takes slots that are not wrapped', new TakesUnwrappedSlots(), ['create.payload.unwrapped']],
  ['keeps the names of the members of a slot', new KeepsNamesOfSlots(), ['create.payload.unwrapped.free']],
  ['takes plurals of reserved names', new TakesPlurals(), ['create.payload.plural']],
  [
    'reads dates as JavaScript does',
    new ReadsDatesAsJavaScript(),
    ['instant.form', 'instant.fraction', 'instant.offset', 'instant.day', 'instant.clock', 'key.as-sent'],
  ],
];

describe('A service that', () => {
  it.each(faults)('%s fails the checks of that, and no other', async (_, service, failures) => {
    expect(await failuresOf(service)).toEqual(failures);
  });
});
